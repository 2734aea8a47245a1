"""A condition on front matter in the filter of a query."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Self

from pydantic import ConfigDict, Field, JsonValue, StrictBool, StrictStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from ragbase.domain.condition import Condition, day_in
from ragbase.domain.metadata import MAX_KEY, MAX_VALUE
from ragbase.messages.json_model import RequestModel

_NOT_BLANK = r"\S"
_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Text = Annotated[str, StringConstraints(strict=True, pattern=_NOT_BLANK, max_length=MAX_VALUE)]


def _shapes() -> Iterator[dict[str, JsonValue]]:
    """The fields that go together, for the description of the API."""
    nothing: JsonValue = {"type": "null"}
    alone: JsonValue = {"atLeast": nothing, "atMost": nothing, "equals": {"type": ["string", "number", "boolean"]}}
    yield {"required": ["equals"], "properties": alone}
    kinds: tuple[JsonValue, ...] = ({"type": "number"}, {"type": "string", "format": "date"})
    for end in kinds:
        for one, other in (("atLeast", "atMost"), ("atMost", "atLeast")):
            ends: JsonValue = {"equals": nothing, one: end, other: {"anyOf": [end, nothing]}}
            yield {"required": [one], "properties": ends}


class QueryCondition(RequestModel):
    """What a key of the front matter has to say: `equals`, or `atLeast` and `atMost`, or one of these."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [*_shapes()]})

    key: Annotated[str, StringConstraints(pattern=_NOT_BLANK, max_length=MAX_KEY)] = Field(
        description="a key of the front matter; one inside of another after a dot, such as author.name"
    )
    equals: StrictBool | _Number | _Text | None = Field(
        None, description="a text, a number, a day such as 2024-01-31, or true or false"
    )
    at_least: _Number | StrictStr | None = Field(None, description="a number, or a day such as 2024-01-31")
    at_most: _Number | StrictStr | None = Field(None, description="a number, or a day such as 2024-01-31")

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.condition()
        return self

    def condition(self) -> Condition:
        try:
            return Condition(key=self.key, equals=self.equals, at_least=_end(self.at_least), at_most=_end(self.at_most))
        except ValueError as error:
            raise PydanticCustomError("condition", "{reason}", {"reason": str(error)}) from None


def _end(given: float | str | None) -> float | date | None:
    if not isinstance(given, str):
        return given
    day = day_in(given)
    if day is None:
        raise ValueError("an end of a range is a number, or a day such as 2024-01-31")
    return day
