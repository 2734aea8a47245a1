"""Whether an extracted text is worth an index (document contract, section 5: `minTextLength`, `maxNoiseRatio`)."""

from __future__ import annotations

import re
import string
import unicodedata

from ragbase.domain.errors import ErrorCode, PermanentError

SAMPLE = 1_000_000
"""Characters that decide about a longer text. They come from SLICES places all over it."""

SLICES = 50

NO_CHARACTER = r"\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd\ue000-\uf8ff"
"""Control characters, the replacement character and private use. White space, the escape of a coloured log and NEL (a
line end) are in texts."""

ANY_NO_CHARACTER = re.compile(f"[{NO_CHARACTER}]")
AROUND = re.compile(rf"\S{{0,8}}(?:[{NO_CHARACTER}]\S{{0,8}})+")
"""Where bytes that are no text were read as text, there are such characters in nearly every place, and what stands
between them means nothing."""

TWICE_ENCODED_CHARACTER = (
    "[\u00c2-\u00f4][\x80-\xbf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]{1,3}"
)
TWICE_ENCODED = re.compile(f"{TWICE_ENCODED_CHARACTER}(?:{TWICE_ENCODED_CHARACTER})*")
"""UTF-8 that was read as Latin-1 or Windows-1252 and saved again: `Ã©` for `é`."""

GLYPH_NUMBERS = re.compile(r"\(cid:\d+\)\s*(?:\(cid:\d+\)\s*)*")
"""What PDF tools write for the characters of a font whose encoding is not known. As above, the first one is written
out: of `(?:...)+` alone, `re` does not know how a match begins, and takes six times as long or more."""

SHORTEST_PACKED = 24
PACKED = re.compile(rf"[A-Za-z0-9+/=]{{{SHORTEST_PACKED},}}")
"""May be binary data in base64."""

HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
CASE_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
SHORT_RUN = 2.5
"""Letters of equal case in a row, on the average: in base64 about 2, in names such as getElementById more than 3."""

DRAWN = re.compile(r"([!-/:-@\[-`{-~\u2010-\u2015\u2022\u2026\u2500-\u259f])(?=\1)")
"""A sign that is repeated: a line that is drawn, the border of a table, empty cells, an ellipsis."""

NOISE = "\ufffd"
SURE_SIGNAL = (string.ascii_letters + string.digits).encode()
NOT_BLANK = re.compile(r"\S")


def noise_ratio(text: str) -> float:
    """The share of noise among the characters that are not blank, 0..1; 0 for a blank text.

    Letters, digits, their marks and pictures (emoji, box drawing) of any script are signal. Punctuation, mathematical
    signs, control, private-use, unassigned and replacement characters are noise: a little of it is in every text, and
    little else in a text whose encoding or font could not be read. Format characters (joiners) are blank. A sign that
    is repeated counts once, since it draws a line. Letters are noise, too, where they stand among characters that are
    none, where UTF-8 was read in another encoding, and in base64.
    """
    # Most texts have nothing of what the patterns look for, and to find that out takes a fraction of the time.
    sample = _sample(text)
    if "(cid:" in sample:
        sample = GLYPH_NUMBERS.sub(_noise, sample)
    if not sample.isascii():
        sample = TWICE_ENCODED.sub(_noise, sample)
    if ANY_NO_CHARACTER.search(sample):
        words = AROUND.sub(_noise, PACKED.sub(_noise_if_packed, sample)).split()
    else:
        words = [_checked_word(word) if len(word) >= SHORTEST_PACKED else word for word in sample.split()]
    visible = DRAWN.sub("", "".join(words)).encode(errors="surrogatepass")
    others = visible.translate(None, SURE_SIGNAL)
    noise, total = 0, len(visible) - len(others)
    rest = others.decode(errors="surrogatepass")
    for character in set(rest):
        category = unicodedata.category(character)
        if category == "Cf":
            continue
        count = rest.count(character)
        total += count
        if character == NOISE or (category[0] not in "LMN" and category not in ("So", "Sk")):
            noise += count
    return noise / total if total else 0.0


def _sample(text: str) -> str:
    if len(text) <= SAMPLE:
        return text
    return "\n".join(text[start : start + SAMPLE // SLICES] for start in range(0, len(text), len(text) // SLICES + 1))


def _noise(garbled: re.Match[str]) -> str:
    return NOISE * len(garbled[0].strip())


def _checked_word(word: str) -> str:
    """The word with noise in place of what is packed in it, and around that."""
    checked = PACKED.sub(_noise_if_packed, word)
    return word if checked == word else AROUND.sub(_noise, checked)


def _noise_if_packed(word: re.Match[str]) -> str:
    return _noise(word) if is_packed(word[0]) else word[0]


def is_packed(word: str) -> bool:
    """Whether this many letters and digits in a row are binary data and no name, number or checksum."""
    runs = CASE_RUN.findall(word)
    return bool(runs) and not HEXADECIMAL.fullmatch(word) and sum(map(len, runs)) < SHORT_RUN * len(runs)


def _length(text: str) -> int:
    """Of the text without the blanks around it, of which it makes no copy."""
    start = NOT_BLANK.search(text)
    if start is None:
        return 0
    end = len(text)
    while text[end - 1].isspace():
        end -= 1
    return end - start.start()


def check_text(text: str, min_length: int, max_noise_ratio: float, *, has_pages: bool = False) -> None:
    """Raises PermanentError: TEXT_TOO_SHORT below `min_length` characters, TEXT_TOO_NOISY above `max_noise_ratio`.
    `has_pages` says that the text is from a document with pages, whose fonts may be the cause."""
    length = _length(text)
    if length < min_length:
        found = "is empty" if length == 0 else f"has only {length} character{'s' if length > 1 else ''} of text"
        needed = f"{min_length} characters are" if min_length > 1 else "1 character is"
        raise PermanentError(
            ErrorCode.TEXT_TOO_SHORT,
            f"The document {found}; at least {needed} needed. Add text, or lower the minimum text length.",
        )
    noise = noise_ratio(text)
    if noise > max_noise_ratio:
        raise PermanentError(
            ErrorCode.TEXT_TOO_NOISY,
            f"{noise:.0%} of the document's characters are noise and no letters or digits of a text, where at most "
            f"{max_noise_ratio:.0%} may be so: {_why_noisy(text, has_pages=has_pages)}",
        )


def _why_noisy(text: str, *, has_pages: bool) -> str:
    """What most of the noise is, and what to do about it."""
    sample = _sample(text)
    signs = sum(unicodedata.category(character)[0] in "PS" for character in DRAWN.sub("", sample))
    twice = sum(len(found[0]) for found in TWICE_ENCODED.finditer(sample))
    packed = sum(len(found[0]) for found in PACKED.finditer(sample) if is_packed(found[0]))
    glyphs = sum(len(found[0]) for found in GLYPH_NUMBERS.finditer(sample))
    unread = sum(len(found[0]) for found in AROUND.finditer(sample))
    fonts = has_pages or glyphs > 0
    return max(
        (signs, "nearly all of them are punctuation and other signs. Upload a document that has words."),
        (
            2 * unread + glyphs,
            "its fonts do not say which letters they show. Export it with embedded fonts, or have it read by OCR."
            if fonts
            else "they are control characters and others that no text has. Save it again as UTF-8 text.",
        ),
        (3 * twice, "it is UTF-8 that was read in another encoding. Save the original again as UTF-8."),
        (2 * packed, "they are binary data in base64. Upload the file that is packed in it."),
    )[1]
