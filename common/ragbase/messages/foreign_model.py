"""JSON of a protocol that somebody else has published."""

from __future__ import annotations

from pydantic import ConfigDict

from ragbase.messages.json_model import JsonModel


def _as_published(name: str) -> str:
    return name


class ForeignModel(JsonModel):
    """Its names are those of the protocol, which has snake_case, and what is None is null: the protocols tell null and
    absent apart."""

    model_config = ConfigDict(alias_generator=_as_published)

    def to_json(self) -> bytes:
        return self.model_dump_json(by_alias=True).encode()


class ForeignRequest(ForeignModel):
    """What a client of the protocol sends. An unknown field is an error, as in our own requests: the client would take
    the answer for one that heeds it."""

    model_config = ConfigDict(extra="forbid")
