"""The worst inputs that we know of each format, and new ones that a number draws."""

from __future__ import annotations

import random

from tests.fuzz import worst_data, worst_markup
from tests.fuzz.worst_pages import PAGE, PAGES, WORDS, XHTML, Make


def with_tabs(make: Make) -> Make:
    return lambda size: make(size).replace(",", "\t")


WORST: dict[str, dict[str, Make]] = {
    "html": PAGES,
    "md": worst_markup.MARKDOWN,
    "rst": worst_markup.RST,
    "adoc": worst_markup.ASCIIDOC,
    "org": worst_markup.ORG,
    "tex": worst_markup.TEX,
    "man": worst_markup.MAN,
    "json": worst_data.JSON,
    "jsonl": worst_data.JSONL,
    "ipynb": worst_data.NOTEBOOK,
    "xml": worst_data.XML,
    "yaml": worst_data.YAML,
    "config": worst_data.CONFIG,
    "log": worst_data.LOG,
    "code": worst_data.CODE,
    "csv": worst_data.CSV,
    "tsv": {name: with_tabs(make) for name, make in worst_data.CSV.items()},
    "txt": worst_data.TEXT,
    "eml": worst_data.MAIL,
}
"""By format and by name."""

BEGINNINGS = {"html": (PAGE, "<html>", XHTML), "tex": ("\\begin{document}\n",), "man": (".TH A 1\n.SH NAME\n",)}
ENCODINGS = ("utf-8",) * 8 + ("utf-16", "latin-1", "cp1258", "shift_jis", "gb18030", "iso2022_jp", "utf-32")
MIXTURES = ("", "\ud800", "\u00e9", "\u98a8", "\u0416")
LARGEST_UNIT = 60
"""Characters of what is repeated."""


def drawn(chance: random.Random, format: str, size: int) -> bytes:
    """A file of this format and about this size: parts of the worst inputs, repeated, nested, joined and damaged."""
    makes = list(WORST[format].values())
    parts: list[str] = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        share = max(size // chance.choice((1, 2, 4)), 200)
        match chance.randrange(4):
            case 0:
                parts.append(chance.choice(makes)(share))
            case 1:
                parts.append(_unit(chance, makes) * (share // LARGEST_UNIT + 1))
            case 2:
                unit = _unit(chance, makes)
                parts.append(unit * (share // (2 * len(unit))) + WORDS + _unit(chance, makes) * (share // 200))
            case _:
                unit = f"{_unit(chance, makes)[: LARGEST_UNIT // 2]}{{n}}{_unit(chance, makes)[: LARGEST_UNIT // 2]}"
                parts.append("".join(unit.replace("{n}", f"{n:x}") for n in range(share // len(unit))))
    before = chance.choice(("", WORDS * 3, *BEGINNINGS.get(format, ())))
    text = (before + chance.choice(("", "\n", "\n\n")).join(parts))[: 2 * size]
    for _ in range(chance.choice((0, 0, 1, 5))):
        place = chance.randrange(len(text) + 1)
        text = (
            text[:place]
            + chance.choice((_unit(chance, makes), "", "\n", "\0", '"'))
            + text[place + chance.randrange(3) :]
        )
    data = (text + chance.choice(MIXTURES)).encode(chance.choice(ENCODINGS), "replace")
    if chance.random() < 0.1:
        changed = bytearray(data)
        for _ in range(chance.choice((1, 50, 2_000))):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        data = bytes(changed)
    return data


def _unit(chance: random.Random, makes: list[Make]) -> str:
    """A few characters of one worst input or of two."""
    text = ""
    for _ in range(chance.choice((1, 1, 2, 3))):
        made = chance.choice(makes)(chance.choice((300, 1_000)))
        start = chance.randrange(max(len(made) - 4, 1))
        text += made[start : start + chance.choice((2, 4, 8, 20))]
    return text[:LARGEST_UNIT] or "a"
