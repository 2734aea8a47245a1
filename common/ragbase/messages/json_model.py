"""What all messages have in common: camelCase JSON, and one error for every malformed message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from ragbase.domain.errors import MalformedMessage

INT64_MAX = 2**63 - 1
"""Generations and sizes are 64-bit numbers in Cloud Storage's API and in our stores."""


def _whole(number: object) -> object:
    return int(number) if isinstance(number, float) and number.is_integer() else number


Whole = BeforeValidator(_whole)
"""For a strict int, after its bounds: JSON does not tell 5 and 5.0 apart."""


class JsonModel(BaseModel):
    """A message as others see it. Its JSON names are camelCase; unknown fields are ignored, as a newer program may send
    more.

    pydantic builds what reads and writes it when that is first needed: no function needs more than a few."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, defer_build=True)

    def to_json(self) -> bytes:
        """JSON in UTF-8. Fields that are None are left out: absent and null mean the same in every contract."""
        return self.model_dump_json(by_alias=True, exclude_none=True).encode()


class RequestModel(JsonModel):
    """What a client sends to the HTTP API. An unknown field is an error: the client means something by it, and would
    take the answer for one that heeds it."""

    model_config = ConfigDict(extra="forbid")


Message = TypeVar("Message", bound=JsonModel)


def read_json(model: type[Message], data: bytes | Mapping[str, object], kind: str) -> Message:
    """Read `data` (JSON, or a mapping read from JSON) as a `model`. Raises MalformedMessage: "This is no KIND: …", with
    each wrong field and the rule that it breaks.

    The input itself is never quoted: it may be anything, and error messages are logged.
    """
    try:
        return model.model_validate_json(data) if isinstance(data, bytes) else model.model_validate(data)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'body'}: {problem['msg']}" for problem in error.errors()
        )
        raise MalformedMessage(f"This is no {kind}: {problems}.") from error
