"""The settings of environments that the documentation shows, in blocks of code and in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from tests.page_blocks import pages, read_all
from tests.terraform.configured import ROOT

PLACEHOLDERS = {"sha256:…": f"sha256:{'0' * 64}", 'domain = "…"': 'domain = "rag.example.com"'}
"""What stands for a value that only the reader has, and a value of its form."""
ALIKE = 0.85
"""How much two names have in common (difflib) if one is taken for a mistake in the other."""

_INLINE = re.compile(r"`([^`\n]+)`")
_ASSIGNED = re.compile(r"^(?P<name>[a-z][a-z0-9_]*) *= *(?=\S)", re.MULTILINE)
_OPENING, _CLOSING = "{[", "}]"


@dataclass(frozen=True, slots=True)
class Shown:
    """What one place of a page sets, in the syntax of terraform.tfvars, by name."""

    page: str
    assigned: Mapping[str, str]

    @property
    def tfvars(self) -> str:
        return "".join(f"{name} = {value}\n" for name, value in self.assigned.items())


def shown_settings(names: set[str]) -> Sequence[Shown]:
    """Every place that sets one of these variables, or one that is a typing mistake away from it. A block that sets one
    twice shows alternatives: each is a place."""
    shown = [one for page in pages() for one in _of_page(page, (ROOT / page).read_text(encoding="utf-8"))]
    examples = [Shown(str(file.relative_to(ROOT)), dict(_assigned(file.read_text("utf-8")))) for file in _examples()]
    return [one for one in (*shown, *examples) if any(_is_one(name, names) for name in one.assigned)]


def _is_one(name: str, names: set[str]) -> bool:
    return bool(get_close_matches(name, names, 1, ALIKE))


def _examples() -> Sequence[Path]:
    return sorted(ROOT.glob("terraform/envs/*/example.tfvars"))


def _of_page(page: str, text: str) -> Iterator[Shown]:
    blocks = [block.text for block in read_all(page)]
    for block in (*blocks, *_INLINE.findall(text)):
        alternative: dict[str, str] = {}
        for name, value in _assigned(block):
            if name in alternative:
                yield Shown(page, alternative)
                alternative = {}
            alternative[name] = value
        if alternative:
            yield Shown(page, alternative)


def _assigned(block: str) -> Iterator[tuple[str, str]]:
    for placeholder, value in PLACEHOLDERS.items():
        block = block.replace(placeholder, value)
    end = 0
    for match in _ASSIGNED.finditer(block):
        if match.start() >= end:
            end = _end_of_value(block, match.end())
            yield match["name"], block[match.end() : end].strip()


def _end_of_value(block: str, start: int) -> int:
    """The end of the line on which all brackets are closed."""
    depth = 0
    for at in range(start, len(block)):
        depth += (block[at] in _OPENING) - (block[at] in _CLOSING)
        if block[at] == "\n" and depth == 0:
            return at
    return len(block)
