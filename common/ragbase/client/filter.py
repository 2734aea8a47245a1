"""Which documents a question may show."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date

from pydantic import ConfigDict, field_serializer
from pydantic.alias_generators import to_camel

from ragbase.domain.condition import Condition
from ragbase.messages.json_model import JsonModel


class Filter(JsonModel):
    """Which documents a query may show (docs/http-api.md). All fields together have to fit."""

    model_config = ConfigDict(extra="forbid")

    document_ids: tuple[str, ...] | None = None
    path_prefix: str | None = None
    formats: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    title: str | None = None
    url_prefix: str | None = None
    date_from: date | None = None
    date_to: date | None = None
    where: tuple[Condition, ...] | None = None

    @field_serializer("where")
    def _as_the_server_takes_it(self, where: tuple[Condition, ...] | None) -> list[dict[str, object]] | None:
        if where is None:
            return None
        return [{to_camel(name): value for name, value in asdict(one).items() if value is not None} for one in where]
