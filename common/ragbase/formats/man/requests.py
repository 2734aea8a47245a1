"""Requests of roff and macros of man, by what they are to a reader."""

from __future__ import annotations

import re

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
