"""What stands around a passage that was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Expand(StrEnum):
    """How much of the document a result brings along."""

    PASSAGE = "passage"
    SECTION = "section"
    PAGE = "page"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Expansion:
    """`tokens` (of cl100k_base) are the most of each context."""

    expand: Expand
    tokens: int


@dataclass(frozen=True, slots=True)
class Context:
    """`text` is the document's text from `char_start` to `char_end`, with the passage in it. It is `truncated` if the
    section, page or document goes on: the tokens did not suffice."""

    text: str
    char_start: int
    char_end: int
    truncated: bool = False
