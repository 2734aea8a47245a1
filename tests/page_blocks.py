"""The blocks of code on the pages of the documentation: what they tell somebody to paste. And the code in sentences.

A block in the language `text` shows something, such as what a command prints. Every other block can be pasted, and a
test runs it (tests/docs/test_pasted_blocks.py). Other tests look whether what sentences name is there
(tests/docs/test_inline_commands.py, tests/docs/test_inline_names.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt

from scripts.locked import ROOT

PAGES = (
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "clients/**/*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "functions/**/*.md",
    "kubernetes/**/*.md",
    "scripts/**/*.md",
    "terraform/**/*.md",
)
SHOWN = "text"
"""The language of a block that nobody pastes."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page. It is the `number`th one below the heading, counted from 1 without those that show something.
    `headings` are those that it stands below, from the title of the page to the nearest."""

    page: str
    headings: tuple[str, ...]
    number: int
    language: str
    text: str
    line: int

    @property
    def heading(self) -> str:
        return self.headings[-1]

    def __str__(self) -> str:
        return f"{self.page}:{self.line} ({self.heading}, {self.number})"


def pages() -> Sequence[str]:
    """The pages of the documentation, as paths from the root of the checkout."""
    files = {file for pattern in PAGES for file in ROOT.glob(pattern) if "node_modules" not in file.parts}
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


def block_of(page: str, heading: str, number: int = 1) -> Block:
    """One block below a heading of a page, whose path is that from the root of the checkout. Raises LookupError."""
    found = [one for one in read_page(page) if (one.heading, one.number) == (heading, number)]
    if len(found) != 1:
        raise LookupError(f"{page} has {len(found)} blocks with the number {number} below {heading!r}.")
    return found[0]


def blocks_of(page: str, heading: str = "") -> Sequence[Block]:
    """All blocks of a page, or of the part with this heading, in their order. Who takes all runs all, also one that is
    new. Raises LookupError if there is none."""
    found = [one for one in read_page(page) if not heading or heading in one.headings]
    if not found:
        raise LookupError(f"{page} has no block below {heading!r}.")
    return found


def read_page(page: str) -> Sequence[Block]:
    """The blocks of a page that can be pasted."""
    return [block for block in read_all(page) if block.language != SHOWN]


@cache
def read_all(page: str) -> Sequence[Block]:
    """The blocks of a page, with those that show something; their number is 0."""
    tokens = MarkdownIt("commonmark").parse((ROOT / page).read_text(encoding="utf-8"))
    headings: tuple[str, ...] = ("",)
    count: Counter[tuple[str, ...]] = Counter()
    blocks: list[Block] = []
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following:
            depth = int(token.tag[1:]) - 1
            headings = (*headings[:depth], following.content)
        elif token.type in ("fence", "code_block"):
            language = token.info.partition(" ")[0]
            count[headings] += language != SHOWN
            number = count[headings] if language != SHOWN else 0
            line = (token.map or [0])[0] + 1
            blocks.append(Block(page, headings, number, language, token.content, line))
    return blocks


@cache
def code_in_sentences(page: str) -> Sequence[str]:
    """What a page has in backticks, outside of blocks: in sentences, headings and cells of tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse((ROOT / page).read_text(encoding="utf-8"))
    inside = (child for token in tokens if token.type == "inline" for child in token.children or ())
    return [child.content for child in inside if child.type == "code_inline"]
