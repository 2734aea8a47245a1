"""Configuration of keys and values under headings in brackets: INI, TOML, units of systemd, properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from ragbase.domain.extraction import Section
from ragbase.formats.lines import LOOKS_LIKE_OTHERS, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file

HEAD = re.compile(r"\[{1,2}(?P<name>[^\[\]=]{1,200}|[\w.-]{0,100}\"[^\"]{1,100}\")\]{1,2}\s*(?:[#;].*)?")
"""`[server]` of INI, `[tool.ruff]` and `[[bin]]` of TOML, `[remote "origin"]` of Git. A list of TOML stands behind its
key, and its items end with commas."""


def sections_of(lines: Iterable[re.Match[str]]) -> Iterator[Section]:
    """A section for each line in brackets that no list is open around."""
    open_brackets = 0
    for line in lines:
        text = line["text"]
        head = HEAD.fullmatch(text) if not open_brackets and not line["indent"] else None
        if head is not None:
            yield Section(line.start("text"), 1, head["name"])
        elif not text.startswith(("#", ";")):
            open_brackets = (
                max(open_brackets + text.count("[") - text.count("]"), 0) if "=" in text or open_brackets else 0
            )


READER = Reader(
    version="config-v1",
    check=check_text_file,
    read=partial(read_lines, sections_of=sections_of),
    looks_like=LOOKS_LIKE_OTHERS,
)
