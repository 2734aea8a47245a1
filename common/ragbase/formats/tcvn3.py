"""TCVN3 (TCVN 5712:1993), in which Vietnamese texts were saved before Unicode. Python has no codec for it."""

from __future__ import annotations

import codecs
import re
import unicodedata

UPPER = "ÀẢÃÁẠẶẬÈẺẼÉẸỆÌỈĨÍỊÒỎÕÓỌỘỜỞỠỚỢÙỦŨ"
"""The characters of the bytes 0x80 to 0x9f."""

REST = (
    "\u00a0ĂÂÊÔƠƯĐăâêôơưđẰ\u0300\u0309\u0303\u0301\u0323àảãáạẲằẳẵắẴẮẦẨẪẤỀặầẩẫấậèỂẻẽéẹềểễếệìỉỄẾỒĩíịò"
    "ỔỏõóọồổỗốộờởỡớợùỖủũúụừửữứựỳỷỹýỵỐ"
)
"""The characters of the bytes 0xa0 to 0xff (glibc's charmap TCVN5712-1). Five of them are marks without a letter."""

TABLE = bytes(range(0x80)).decode("ascii") + UPPER + REST

SYLLABLE = re.compile(
    r"(?:b|ch?|d|đ|gh?|gi|h|kh?|l|m|ngh?|nh?|ph?|qu|r|s|th?|tr|v|x)?"
    r"(?:[iuo]?[aeiouyăâêôơư]{1,2}[iouy]?)"
    r"(?:ch?|m|ngh?|nh?|p|t)?"
)
"""A syllable in lower case, without its tone. Every Vietnamese word is one."""

FEW = 5
"""Words."""

TONES = dict.fromkeys(map(ord, "\u0300\u0301\u0303\u0309\u0323"))
WORD = re.compile(r"[^\W\d_]+")


def decode_tcvn3(data: bytes) -> str:
    """Every byte has a character. Marks and their letters are composed (NFC)."""
    text, _ = codecs.charmap_decode(data, "strict", TABLE)
    return unicodedata.normalize("NFC", text) if any(map(data.count, range(0xB0, 0xB5))) else text


def vietnamese_share(text: str) -> float:
    """The share, 0..1, of Vietnamese syllables among the different words with a letter beyond ASCII; 0 if there are
    only a few, which may be syllables by chance."""
    words = {word for word in WORD.findall(unicodedata.normalize("NFC", text)) if not word.isascii()}
    return sum(map(_is_syllable, words)) / len(words) if len(words) >= FEW else 0.0


def _is_syllable(word: str) -> bool:
    """With at most one tone, and no capital after a small letter."""
    if not (word.islower() or word.isupper() or word.istitle()):
        return False
    decomposed = unicodedata.normalize("NFD", word.lower())
    plain = decomposed.translate(TONES)
    return len(decomposed) - len(plain) <= 1 and bool(SYLLABLE.fullmatch(unicodedata.normalize("NFC", plain)))
