"""Whether an extracted text is worth an index (document contract, section 5: `minTextLength`, `maxNoiseRatio`)."""

from __future__ import annotations

import string
import unicodedata
from collections import Counter

from ragbase.domain.errors import ErrorCode, PermanentError

ASCII = bytes(range(0x80))
ASCII_BLANK = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "
ASCII_SIGNAL = (string.ascii_letters + string.digits).encode()
BEYOND_ASCII = bytes(range(0x80, 0x100))
REPLACEMENT = "\ufffd"


def noise_ratio(text: str) -> float:
    """The share of noise among the characters that are not blank, 0..1; 0 for a blank text.

    Letters, digits, their marks and pictures (emoji, box drawing) of any script are signal. Punctuation, mathematical
    signs, control, private-use, unassigned and replacement characters are noise: a little of it is in every text, and
    little else in a text whose encoding or font could not be read. Format characters (joiners) are blank.
    """
    encoded = text.encode("utf-8", "surrogatepass")  # bytes are sorted out a hundred times faster than characters
    in_ascii = encoded.translate(None, BEYOND_ASCII + ASCII_BLANK)
    beyond_ascii = encoded.translate(None, ASCII).decode("utf-8", "surrogatepass")
    noise = len(in_ascii.translate(None, ASCII_SIGNAL))
    total = len(in_ascii)
    for character, count in Counter(beyond_ascii).items():
        category = unicodedata.category(character)
        if category == "Cf" or character.isspace():
            continue
        total += count
        if character == REPLACEMENT or (category[0] not in "LMN" and category not in ("So", "Sk")):
            noise += count
    return noise / total if total else 0.0


def check_text(text: str, min_length: int, max_noise_ratio: float) -> None:
    """Raises PermanentError: TEXT_TOO_SHORT below `min_length` characters, TEXT_TOO_NOISY above `max_noise_ratio`."""
    length = len(text.strip())
    if length < min_length:
        found = "is empty" if length == 0 else f"has only {length} character{'s' if length > 1 else ''} of text"
        raise PermanentError(
            ErrorCode.TEXT_TOO_SHORT,
            f"The document {found}; at least {min_length} characters are needed. "
            "Add text, or lower the minimum text length.",
        )
    noise = noise_ratio(text)
    if noise > max_noise_ratio:
        raise PermanentError(
            ErrorCode.TEXT_TOO_NOISY,
            f"{noise:.0%} of the document's characters are no letters or digits, where at most {max_noise_ratio:.0%} "
            "may be so: its encoding or its fonts could not be read. Save it again as UTF-8 text, or export the PDF "
            "with embedded fonts.",
        )
