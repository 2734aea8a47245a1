"""The body of /api/query: a question, and how much text its results bring along."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from ragbase.domain.context import Expand, expansion
from ragbase.domain.limits import DEFAULT_EXPAND_TOKENS, MAX_EXPAND_TOKENS
from ragbase.interfaces.wire.query import QueryRequest
from ragbase.messages.json_model import Whole

if TYPE_CHECKING:
    from ragbase.domain.question import Question

EXPAND = "the text that each result brings along: its passage, or what of its section, page or document fits"
EXPAND_TOKENS = (
    f"the most tokens (of cl100k_base) of each such text, from 1 to {MAX_EXPAND_TOKENS}; {DEFAULT_EXPAND_TOKENS} "
    "without it. It needs expand"
)


class SearchRequest(QueryRequest):
    """A question whose passages somebody wants, with the text around them."""

    expand: Expand | None = Field(None, description=EXPAND)
    expand_tokens: Annotated[int, Field(strict=True, ge=1, le=MAX_EXPAND_TOKENS), Whole] | None = Field(
        None, description=EXPAND_TOKENS
    )

    @model_validator(mode="after")
    def _has_what_to_expand(self) -> Self:
        if self.expand_tokens is not None and self.expand is None:
            raise PydanticCustomError("expand", "expandTokens needs expand: say section, page or document")
        return self

    def question(self) -> Question:
        return replace(super().question(), expand=expansion(self.expand, self.expand_tokens))
