"""Markdown documents that Hypothesis makes, with the place of every block in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hypothesis import strategies as st

WORDS = ("boat", "sail.", "wind", "No. 5", "`hoist()`", "Größe", "船在风中。", "e\u0301", "(see above)", "x" * 40)
NEWLINES = ("\n", "\r\n")


@dataclass
class Written:
    """A document as it is written. Spans are from the first character of a block to after its last."""

    text: str = ""
    headings: list[tuple[int, int]] = field(default_factory=list)
    """Start and level."""
    blocks: list[tuple[int, int]] = field(default_factory=list)
    """Fences, tables and list items."""
    tables: list[tuple[int, int, str]] = field(default_factory=list)
    """Where the table begins and ends, and the header row."""

    def write(self, text: str) -> int:
        """Append; where it begins."""
        self.text += text
        return len(self.text) - len(text)

    def section_end(self, position: int) -> int:
        """Where the section that `position` is in ends."""
        levels = [level for start, level in self.headings if start <= position]
        after = [start for start, level in self.headings if levels and start > position and level <= levels[-1]]
        return min(after, default=len(self.text))


def says_nothing(text: str) -> bool:
    """Whether only definitions of links, tags and rules are in a text."""
    rest = re.sub(r"\[boats]: ../boats.md 'All boats'|\[[^\]]+]:[^\S\n]*\S+|</?\w*>", "", text)
    return not any(letter.isalnum() for letter in rest)


@st.composite
def documents(draw: st.DrawFn) -> Written:
    document = Written()
    newline = draw(st.sampled_from(NEWLINES))
    for write in draw(st.lists(st.sampled_from((_heading, _paragraph, _fence, _table, _items)), max_size=14)):
        write(draw, document, newline)
        document.write(newline * draw(st.integers(2, 3)))
    return document


def _words(draw: st.DrawFn, most: int) -> str:
    return " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=most)))


def _heading(draw: st.DrawFn, document: Written, newline: str) -> None:
    level = draw(st.integers(1, 4))
    document.headings.append((document.write("#" * level + " " + _words(draw, 3)), level))


def _paragraph(draw: st.DrawFn, document: Written, newline: str) -> None:
    document.write(newline.join(_words(draw, 9) for _ in range(draw(st.integers(1, 4)))))


def _fence(draw: st.DrawFn, document: Written, newline: str) -> None:
    mark = draw(st.sampled_from(("```", "~~~~", "```python")))
    lines = draw(
        st.lists(st.sampled_from(("", "# no heading", "hoist(sail)", "- no item", "  | no | table |")), max_size=12)
    )
    start = document.write(newline.join((mark, *lines, mark.rstrip("python"))))
    document.blocks.append((start, len(document.text)))


def _table(draw: st.DrawFn, document: Written, newline: str) -> None:
    cells = draw(st.lists(st.sampled_from(("boat", "length", "a \\| b", "船")), min_size=1, max_size=3))
    header = "| " + " | ".join(cells) + " |"
    start = document.write(header + newline + "|" + "---|" * len(cells))
    document.write(newline)
    for row in range(draw(st.integers(1, 12))):
        document.write((newline if row else "") + "| " + " | ".join(_words(draw, 3) for _ in cells) + " |")
    document.blocks.append((start, len(document.text)))
    document.tables.append((start, len(document.text), header))


def _items(draw: st.DrawFn, document: Written, newline: str) -> None:
    marker = draw(st.sampled_from(("-", "*", "+", "1.", "10)")))
    inside = " " * (len(marker) + 1)
    for number in range(draw(st.integers(1, 8))):
        start = document.write((newline if number else "") + f"{marker} ") + (len(newline) if number else 0)
        document.write(_words(draw, 9))
        last = ""
        for part in draw(st.lists(st.sampled_from(("line", "paragraph", "item", "fence")), max_size=3)):
            if part == "item":
                nested = document.write(f"{newline}{inside}- ") + len(newline) + len(inside)
                document.write(_words(draw, 5))
                document.blocks.append((nested, len(document.text)))
            elif part == "fence":
                lines = ("", inside + "```sh", inside + "sail", "", inside + "```")
                document.write(newline.join(lines))
            else:
                # A line right after a nested item would continue that one's paragraph.
                apart = 1 if part == "line" and last not in ("item", "fence") else 2
                document.write(newline * apart + inside + _words(draw, 5))
            last = part
        document.blocks.append((start, len(document.text)))
