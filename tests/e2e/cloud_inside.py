"""The local cloud from inside: what its user does not see, and what goes wrong on demand."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from ragbase.bootstrap import Profile, open_profile
from ragbase.config import load_config
from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from tests.servers.local_cloud import LocalCloud

Placed = tuple[int, int, str, int, int, tuple[str, ...], int | None]
"""Part, ordinal, text, char_start, char_end, header_path and page of a chunk."""


@contextmanager
def profile_of(cloud: LocalCloud) -> Iterator[Profile]:
    """The profile gcp, as any process on this local cloud has it."""
    settings = cloud.settings()
    with pytest.MonkeyPatch.context() as variables:
        for name, value in settings.items():
            variables.setenv(name, value)  # Google's clients read those of the emulators by themselves
        config = load_config(environment=settings, home="/nowhere")  # nobody's settings file
        with closing(open_profile(config)) as profile:
            yield profile


@dataclass(frozen=True)
class Index:
    """What the records and the vector store of a profile hold."""

    profile: Profile

    def record(self, name: str) -> Document | None:
        return self.profile.documents.get(document_id(self.profile.bucket.name, name))

    def shown(self, name: str) -> list[Placed]:
        """The chunks of the generation that search shows."""
        record = self.record(name)
        return self._placed(record.id, record.active.generation) if record and record.active else []

    def held(self, name: str) -> int:
        """How many different texts are held for the document, in whatever generation."""
        return len(self.profile.vectors.embeddings(document_id(self.profile.bucket.name, name)))

    def _placed(self, id: str, generation: int) -> list[Placed]:
        chunks = [embedded.chunk for embedded in self.profile.vectors.read(id, generation)]
        return [
            (one.part, one.ordinal, one.text, one.char_start, one.char_end, one.header_path, one.page) for one in chunks
        ]


class EmbeddingServer:
    """The doors of the Cohere-compatible server that are for tests."""

    def __init__(self, cloud: LocalCloud) -> None:
        self._url = cloud.settings()["CO_API_URL"]

    def fail(self, fault: str, count: int = 1, **more: float) -> None:
        """Let the next `count` calls go wrong; see tests/servers/cohere_server.py."""
        self._send("/_faults", {"fault": fault, "count": count, **more})

    def reset(self) -> None:
        """Forget counts and faults."""
        self._send("/_reset", {})

    def stats(self) -> Mapping[str, Any]:
        return self._send("/_stats")

    @property
    def embedded(self) -> int:
        """Texts of documents, so far."""
        return int(self.stats()["input_types"].get("search_document", 0))

    def _send(self, path: str, body: object = None) -> Mapping[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self._url + path, data), timeout=30) as answer:
            told: Mapping[str, Any] = json.loads(answer.read())
            return told
