"""What stands around a passage that was found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.limits import DEFAULT_EXPAND_TOKENS, MAX_EXPAND_TOKENS


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


def expansion(expand: str | None, tokens: int | None = None) -> Expansion | None:
    """What a question asks for with these words; None if it asks for no context. Raises ValueError."""
    if expand is None:
        if tokens is not None:
            raise ValueError("expand_tokens needs expand. Say section, page or document.")
        return None
    if expand not in [*Expand]:
        raise ValueError(f"expand is {expand!r}, but must be one of {', '.join(Expand)}. Leave it out for no context.")
    if tokens is not None and not 1 <= tokens <= MAX_EXPAND_TOKENS:
        raise ValueError(
            f"expand_tokens is {tokens}, but must be from 1 to {MAX_EXPAND_TOKENS}. Leave it out for "
            f"{DEFAULT_EXPAND_TOKENS}."
        )
    return Expansion(Expand(expand), tokens if tokens is not None else DEFAULT_EXPAND_TOKENS)
