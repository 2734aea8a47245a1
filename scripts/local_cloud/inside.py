"""The inside of the local cloud: records, chunks and the embedding server, which its user does not see."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from scripts.local_cloud.local_cloud import LocalCloud

Placed = tuple[int, str, int, int, tuple[str, ...], int | None]
"""A chunk's ordinal, text, char_start, char_end, header_path and page."""


@contextmanager
def profile_of(cloud: LocalCloud) -> Iterator[Profile]:
    """The profile gcp, as any process that uses this local cloud has it."""
    settings = cloud.settings()
    with _environment(settings):  # Google's clients read the emulators' variables themselves
        config = load_config(environment=settings, home="/nowhere")  # without the user's settings file
        with closing(open_profile(config)) as profile:
            yield profile


@dataclass(frozen=True)
class Index:
    """The content of a profile's records and of its vector store."""

    profile: Profile

    def record(self, name: str) -> Document | None:
        return self.profile.documents.get(document_id(self.profile.bucket.name, name))

    def shown(self, name: str) -> list[Placed]:
        """The chunks of the generation that search shows."""
        record = self.record(name)
        return self._placed(record.id, record.active.generation) if record and record.active else []

    def held(self, name: str) -> int:
        """How many different texts the vector store holds for the document, over all its generations."""
        return len(self.profile.open_index().vectors().embeddings(document_id(self.profile.bucket.name, name)))

    def _placed(self, id: str, generation: int) -> list[Placed]:
        chunks = [embedded.chunk for embedded in self.profile.open_index().vectors().read(id, generation)]
        return [(one.ordinal, one.text, one.char_start, one.char_end, one.header_path, one.page) for one in chunks]


class EmbeddingServer:
    """The Cohere-compatible server's routes for tests."""

    def __init__(self, cloud: LocalCloud) -> None:
        self._url = cloud.settings()["CO_API_URL"]

    def fail(self, fault: str, count: int = 1, **more: float) -> None:
        """Let the next `count` calls fail. See tests/doubles/cohere_server.py."""
        self._send("/_faults", {"fault": fault, "count": count, **more})

    def reset(self) -> None:
        """Reset the counts and drop the planned faults."""
        self._send("/_reset", {})

    def stats(self) -> Mapping[str, Any]:
        return self._send("/_stats")

    def rate(self) -> Mapping[str, Any]:
        """What its limit has taken and refused (tests/doubles/input_limit.py)."""
        return self._send("/_rate")

    @property
    def embedded(self) -> int:
        """How many texts of documents it has embedded so far."""
        return int(self.stats()["input_types"].get("search_document", 0))

    def _send(self, path: str, body: object = None) -> Mapping[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url + path, data), timeout=30) as answer:
            content: Mapping[str, Any] = json.loads(answer.read())
            return content


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables, and restore the old values in the end."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ |= variables
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
