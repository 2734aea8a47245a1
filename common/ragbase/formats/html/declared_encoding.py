"""The encoding that a page declares."""

from __future__ import annotations

import codecs
import re

from ragbase.formats.decode import Decoded

CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
CHARSET_WITHIN = 1024
"""Bytes in which a page declares its encoding (HTML Standard, "Determining the character encoding")."""

WEB_NAMES = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
}
"""Encodings that browsers read as a larger one (Encoding Standard, "Names and labels")."""


def declared(data: bytes) -> Decoded | None:
    """The text in the encoding that the page declares; None if it declares none, or none that it is in.

    UTF-8 and marks of UTF-16 are more certain than what is declared.
    """
    declared = CHARSET.search(data[:CHARSET_WITHIN])
    if declared is None or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    name = (declared[1] or declared[2]).decode().lower()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            codec = codecs.lookup(WEB_NAMES.get(name, name))
            text = data.decode(codec.name) if codec._is_text_encoding else ""
        except (LookupError, UnicodeError):
            return None
        return Decoded(text) if text and "\0" not in text else None
    return None
