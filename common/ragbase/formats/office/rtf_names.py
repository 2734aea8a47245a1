"""The control words of Rich Text that a reader of its text has to know (Microsoft's RTF 1.9.1)."""

from __future__ import annotations

SIGNS = {
    b"emdash": "\u2014", b"endash": "\u2013", b"lquote": "\u2018", b"rquote": "\u2019", b"ldblquote": "\u201c",
    b"rdblquote": "\u201d", b"bullet": "\u2022", b"tab": " ", b"emspace": " ", b"enspace": " ", b"qmspace": " ",
    b"line": "\n", b"nestcell": " ", b"nestrow": " ", b"lbr": "\n", b"softline": "\n", b"zwj": "\u200d",
    b"zwnj": "\u200c",
}  # fmt: skip
"""Words that stand for a sign."""

SYMBOLS = {b"~": " ", b"_": "\u2011", b"-": "", b"{": "{", b"}": "}", b"\\": "\\"}
"""Signs behind a backslash that stand for a sign; of others, nothing is seen."""

ENDS = frozenset((b"par", b"page", b"sect", b"column", b"pagebb", b"\n", b"\r"))
"""What ends a paragraph."""

UNSEEN = frozenset((
    b"colortbl", b"pict", b"nonshppict", b"listtable", b"listoverridetable", b"xe", b"tc", b"tcn", b"rxe", b"txe",
    b"private", b"nonesttables", b"filetbl", b"revtbl", b"rsidtbl", b"ftnsep", b"ftnsepc", b"ftncn", b"aftnsep",
    b"aftnsepc", b"aftncn", b"bkmkstart", b"bkmkend", b"objclass", b"objdata", b"fldinst", b"atnid", b"atnref",
    b"atndate", b"atntime", b"atrfstart",
    b"atrfend", b"sp", b"atnparent", b"generator", b"template", b"falt", b"panose",
))  # fmt: skip
"""Groups of other things than text."""

SEEN = frozenset((b"shpinst", b"ud", b"annotation", b"atnauthor", b"pn"))
"""Groups that have text though they begin with a star."""

RUNNING = frozenset((
    b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf",
))  # fmt: skip
LABELS = frozenset((b"listtext", b"pntext"))
"""The number or the bullet of a list's item."""

CODEPAGES = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "cp936", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 255: "cp437",
}  # fmt: skip
"""The encodings of fonts, by their character sets."""
