"""The colours of the console: what somebody must read or find stands out from what is behind it, light and dark
(https://www.w3.org/TR/WCAG22/#contrast-minimum, #non-text-contrast)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragbase.interfaces.console.ask_element import STYLE
from ragbase.interfaces.console.page_files import FOLDER

PAIR = re.compile(r"--([\w-]+):[^;]*?light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
TEXT, SHAPE = 4.5, 3.0
WANTED = [
    *((colour, "paper", TEXT) for colour in ("ink", "faint", "accent", "bad")),
    ("on-accent", "accent", TEXT),
    ("ink", "mark", TEXT),
]
OF_CONSOLE = [
    *((colour, ground, TEXT) for colour in ("ink", "faint", "accent", "good", "busy", "bad") for ground in ("raised",)),
    *((colour, "paper", TEXT) for colour in ("good", "busy")),
    *(("paper", ground, TEXT) for ground in ("ink", "bad")),  # chips, notices, the banner
    ("field", "paper", SHAPE),
]


def luminance(colour: str) -> float:
    """Of #rrggbb, from 0 to 1."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "wanted"), [(FOLDER / "console.css", WANTED + OF_CONSOLE), (STYLE, WANTED)], ids=["console", "element"]
)
def test_colours_stand_out(path: Path, wanted: list[tuple[str, str, float]], scheme: str) -> None:
    text = path.read_text(encoding="utf-8")
    colours = {name: light if scheme == "light" else dark for name, light, dark in PAIR.findall(text)}
    weak = {
        f"{one} on {other}": round(contrast(colours[one], colours[other]), 2)
        for one, other, least in wanted
        if contrast(colours[one], colours[other]) < least
    }
    assert weak == {}
