"""What the lines of a manual page are made of (roff): requests, macros, and the escapes inside of a line."""

from __future__ import annotations

import re
from collections.abc import Mapping

REQUEST = re.compile(r"[.'][ \t]*(?P<name>[^\s\\]{1,40}|\\[\"#])(?P<rest>.*)")
CONDITION = re.compile(
    r"[ \t]*(?:!?[notev]\b|!?'[^']*'[^']*'|!?\"[^\"]*\"[^\"]*\"|!?[rdcFmS] ?\S+|\([^\s]*\)|\S+)[ \t]*(?P<rest>.*)"
)
ALTERNATING = frozenset(("BR", "RB", "BI", "IB", "IR", "RI"))
FONTS = frozenset(("B", "I", "R", "SM", "SB", "CW", "CB"))
NO_TEXT = frozenset(
    ("ad", "af", "ai", "am", "as", "bd", "bp", "br", "c2", "cc", "ce", "cf", "ch", "cs", "cu", "da", "di", "ds", "dt",
    "ec", "eo", "ev", "evc", "ex", "fam", "fc", "fp", "ft", "fz", "hc", "hla", "hlm", "hpf", "hy", "hym", "hys",
    "in", "it", "lc", "lf", "lg", "ll", "ls", "lt", "mc", "mk", "mso", "na", "ne", "nf", "nh", "nm", "nn", "nr",
    "ns", "nx", "os", "pc", "pev", "pi", "pl", "pm", "pn", "po", "ps", "psbb", "pso", "ptr", "rd", "rm", "rn",
    "rnn", "rr", "rs", "rt", "schar", "shc", "shift", "sizes", "so", "special", "ss", "sty", "substring", "sv",
    "sy", "ta", "tc", "ti", "tkf", "tl", "tm", "tr", "trf", "uf", "ul", "unformat", "vpt", "vs", "warn", "wh",
    "write", "PD", "DT", "UC", "AT", "hw", "IX", "rchar", "char", "fchar", "color", "defcolor", "nop", "return",
    "blm", "als", "aln", "chop", "do", "Os", "Bk", "Ek", "Sm", "Fo", "Lb", "Bf", "Ef", "Rs", "Re", "tag")
)  # fmt: skip
"""Requests of roff and macros that say how a page looks. Of `Rs` and its kind, the lines below have the text."""
COMMENTS = frozenset(('\\"', "\\#"))
CONDITIONS = frozenset(("if", "ie", "el", "while"))
DEFINITIONS = frozenset(("de", "de1", "am", "am1", "ig", "dei"))


ESCAPE = re.compile(
    r"\\(?:"
    r"(?P<comment>[\"#][^\n]*)"
    r"|f(?:\((?P<font>..)|\[[^\]\n]{0,40}\]|.)"
    r"|s(?:[-+]?\d{1,2}|\[[^\]\n]{0,20}\]|[-+]?\(\d\d|'[^'\n]{0,20}')"
    r"|[mMFR](?:\[[^\]\n]{0,40}\]|\(..|.)"
    r"|\*(?:\((?P<string>..)|\[(?P<named>[^\]\n]{0,80})\]|(?P<letter>.))"
    r"|[nVgkY](?:[-+]?\(..|[-+]?\[[^\]\n]{0,80}\]|.)"
    r"|[hvwxLlDoNbSHZXAB](?:'(?P<quoted>[^'\n]{0,200})'|\"[^\"\n]{0,200}\"|(?=$))"
    r"|\((?P<glyph>..)|\[(?P<name>[^\]\n]{1,60})\]|C'(?P<character>[^'\n]{1,60})'"
    r"|(?P<sign>.))"
)
SIGNS = {
    "-": "-", "e": "\\", "\\": "\\", " ": " ", "~": " ", "0": " ", "'": "'", "`": "`", ".": ".", "_": "_", "t": "\t",
    "E": "\\", "!": "", "p": "\n",
}  # fmt: skip
"""What an escape of one sign stands for. All others stand for nothing."""
GLYPHS = {
    "aq": "'", "dq": '"', "lq": "“", "rq": "”", "oq": "‘", "cq": "’", "Bq": "„", "bq": "‚", "Fo": "«", "Fc": "»",
    "em": "—", "en": "–", "hy": "-", "mi": "−", "-": "-", "bu": "•", "ci": "○", "sq": "□", "co": "©", "rg": "®",
    "tm": "™", "de": "°", "mu": "×", "di": "÷", "+-": "±", "->": "→", "<-": "←", "<>": "↔", "ua": "↑", "da": "↓",
    "<=": "≤", ">=": "≥", "!=": "≠", "==": "≡", "~=": "≅", "ga": "`", "aa": "´", "ha": "^", "ti": "~", "a^": "^",
    "a~": "~", "rs": "\\", "sl": "/", "ba": "|", "br": "│", "bv": "|", "lB": "[", "rB": "]", "lC": "{", "rC": "}",
    "la": "⟨", "ra": "⟩", "at": "@", "sh": "#", "Do": "$", "Eu": "€", "eu": "€", "Po": "£", "Ye": "¥", "ct": "¢",
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "/o": "ø", "/O": "Ø", "oa": "å", "oA": "Å", "12": "½",
    "14": "¼", "34": "¾", "S1": "¹", "S2": "²", "S3": "³", "*m": "μ", "mc": "µ", "OK": "✓", "no": "¬", "dg": "†",
    "dd": "‡", "ps": "¶", "sc": "§", "ff": "ff", "fi": "fi", "fl": "fl", "Fi": "ffi", "Fl": "ffl", "if": "∞",
    "pl": "+", "eq": "=", "ul": "_", "rn": "‾", "fm": "′", "sd": "″", "r!": "¡", "r?": "¿", ",c": "ç", ",C": "Ç",
    "an": "—", "or": "|", "!": "", "*a": "α", "*b": "β", "*p": "π", "OS": "", "Tm": "™", "R": "®",
}  # fmt: skip
ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", ":": "\u0308", "~": "\u0303", "v": "\u030c", "o": "\u030a"}
STRINGS = {
    "Aq": "'", "--": "–", "lq": "“", "rq": "”", "Lq": "“", "Rq": "”", "R": "®", "Tm": "™", "Ba": "|", "Ge": "≥",
    "Le": "≤", "Ne": "≠", "Gt": ">", "Lt": "<", "Am": "&", "Pi": "π", "If": "∞", "Na": "NaN", "Pm": "±", "ua": "↑",
}  # fmt: skip


def plain(text: str, strings: Mapping[str, str]) -> str:
    """The text as it is printed, without fonts and sizes."""
    if "\\" not in text:
        return text

    def shown(escape: re.Match[str]) -> str:
        if escape["sign"] is not None:
            return SIGNS.get(escape["sign"], "")
        if (glyph := escape["glyph"] or escape["name"] or escape["character"]) is not None:
            return _glyph(glyph)
        if (string := escape["string"] or escape["named"] or escape["letter"]) is not None:
            return strings.get(string, STRINGS.get(string, ""))
        return ""

    return ESCAPE.sub(shown, text)


def _glyph(name: str) -> str:
    import unicodedata

    if name in GLYPHS:
        return GLYPHS[name]
    if re.fullmatch(r"u[0-9A-F]{4,6}(?:_[0-9A-F]{4,6}){0,3}", name):
        return "".join(chr(min(int(code, 16), 0x10FFFF)) for code in name[1:].split("_"))
    if len(name) == 2 and name[0] in ACCENTS and name[1].isalpha():  # noqa: PLR2004 - an accent and a letter
        return unicodedata.normalize("NFC", name[1] + ACCENTS[name[0]])
    return ""


def arguments(text: str) -> list[str]:
    """The arguments of a macro: words, or what stands in quotation marks, in which two stand for one."""
    found: list[str] = []
    at = 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
        elif text[at] == '"':
            end = at + 1
            while end < len(text) and (text[end] != '"' or text[end + 1 : end + 2] == '"'):
                end += 2 if text[end] == '"' else 1
            found.append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
        elif text.startswith('\\"', at):
            break
        else:
            end = at
            while end < len(text) and text[end] not in " \t":
                end += 2 if text[end] == "\\" else 1
            found.append(text[at:end])
            at = end
    return found
