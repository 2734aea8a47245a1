"""A Qdrant as Qdrant Cloud sets it up: a filter may only name payload fields that have an index.

Collections there are in strict mode, unless somebody has turned it off
(https://qdrant.tech/documentation/cloud/configure-cluster). The client's local mode has neither the mode nor indexes.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from httpx import Headers
from pydantic import BaseModel
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import UnexpectedResponse

_FILTERED = ("scroll", "query_points", "count", "facet", "delete", "set_payload")


class StrictQdrant(QdrantClient):
    """The client's local mode, which looks like a server and refuses what a strict server refuses."""

    def __init__(self) -> None:
        super().__init__(":memory:")
        self.indexed: dict[str, object] = {}
        """The schemas of the indexes, by the names of their fields."""
        self.filtered: set[str] = set()
        """The fields that were asked for."""
        setattr(self, "create_payload_index", self._index)  # noqa: B010 - an override has to repeat all parameters
        for name in _FILTERED:
            setattr(self, name, self._strict(getattr(self, name)))

    @property
    def init_options(self) -> dict[str, Any]:
        return {"url": "http://strict"}

    def _index(self, collection: str, field: str, schema: object, *, wait: bool) -> None:
        self.indexed[field] = schema

    def _strict(self, method: Any) -> Any:
        def checked(*arguments: Any, **named: Any) -> Any:
            asked = {key for one in (*arguments, *named.values()) for key in _keys(one)}
            if method.__name__ == "facet":
                asked.add(arguments[1])
            self.filtered |= asked
            for key in sorted(asked - self.indexed.keys()):
                reason = f'Bad request: Index required but not found for "{key}"'
                status = HTTPStatus.BAD_REQUEST
                raise UnexpectedResponse(status.value, status.phrase, reason.encode(), Headers())
            return method(*arguments, **named)

        return checked


def _keys(asked: Any) -> Iterator[str]:
    """The payload fields that a filter names."""
    if isinstance(asked, BaseModel):
        asked = asked.model_dump(exclude_none=True)
        yield from _keys_of(asked)


def _keys_of(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("key"), str):
            yield part["key"]
        for value in part.values():
            yield from _keys_of(value)
    elif isinstance(part, list):
        for value in part:
            yield from _keys_of(value)
