"""The HTTP API of a data folder whose documents have tenants, and whose lanes work when a test says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.adapters.embedded.local_queue import UPLOADS
from ragbase.config import load_config
from ragbase.domain.errors import Busy
from ragbase.domain.identity import document_id
from ragbase.domain.lane import Lane
from ragbase.interfaces.api.app import create_app
from ragbase.pipeline.process import process
from ragbase.pipeline.route import route
from ragbase.ports import Indexes, Topic
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.form import form
from tests.functions.guarded import Guarded, bearer

LANES = {Topic.FAST: Lane.FAST, Topic.HEAVY: Lane.HEAVY}


class TenantWorld:
    """Worlds with the same checkpoints have the same keys, and sign addresses with the same secret. The chunks are in
    the data folder, or in the indexes that are given."""

    def __init__(
        self,
        home: Path,
        checkpoints: MemoryCheckpoints,
        clock: VirtualClock,
        *,
        indexes: Indexes | None = None,
        **settings: Any,
    ) -> None:
        chosen = {"embedder": "hashing", "tenancy": "folder", "similarity_threshold": 0.0, **settings}
        self.profile = Guarded(load_config(home=home, environment={}, **chosen), checkpoints, clock, indexes)
        self.client = create_app(self.profile).test_client()
        self.keys = ApiKeys(lambda: checkpoints, clock)

    def key(self, tenant: str | None) -> Token:
        """A key of this tenant, for everything; None for a key of all tenants."""
        return self.keys.create(tenant or "all", scopes=Scope, tenant=tenant)[1]

    def key_of_folders(self, *prefixes: str, **options: Any) -> Token:
        """A key for everything below these folders."""
        return self.keys.create(" ".join(prefixes), **{"scopes": Scope, "prefixes": prefixes, **options})[1]

    def ask(self, key: Token, method: str, path: str, **body: Any) -> Any:
        return self.client.open(path, method=method, headers=bearer(key), **body)

    def upload(self, key: Token, data: bytes, filename: str = "file.md", **fields: str) -> Any:
        return self.ask(key, "POST", "/api/documents", **form((filename, data), **fields))

    def query(self, key: Token, text: str, **fields: Any) -> Any:
        return self.ask(key, "POST", "/api/query", json={"query": text, **fields})

    def list(self, key: Token, **parameters: Any) -> Mapping[str, Any]:
        listed: Mapping[str, Any] = self.ask(key, "GET", "/api/documents", query_string=parameters).json
        return listed

    def id(self, name: str) -> str:
        return document_id(self.profile.config.bucket, name)

    def work(self) -> None:
        """Route every upload and do every job that waits. A job that has to come again does so the next time."""
        queue = self.profile.publisher
        self.profile.open_index()
        for delivery in queue.receive(UPLOADS, 1_000):
            route(delivery.event, self.profile)
            queue.receive(UPLOADS, 0, [delivery.id])
        for topic, lane in LANES.items():
            later = []
            while deliveries := queue.receive(topic.value, 100):
                for delivery in deliveries:
                    try:
                        process(delivery.job, self.profile.worker(lane))
                    except Busy:  # searches may still read what it should remove
                        later.append(delivery)
                    else:
                        queue.receive(topic.value, 0, [delivery.id])
            queue.give_back(later)

    def close(self) -> None:
        self.profile.close()


_OF_EACH_ANSWER = ("X-Request-Id", "Date")
"""Headers that tell two equal answers apart."""


def seen(answer: Any, *ids: str) -> tuple[object, ...]:
    """What a client sees of an answer, with the ids that it asked for taken out."""
    body: bytes = answer.data
    for id in ids:
        body = body.replace(id.encode(), b"ID")
    headers = {name: value for name, value in answer.headers.items() if name not in _OF_EACH_ANSWER}
    return answer.status_code, headers, body


def routes_of_documents(world: TenantWorld) -> list[tuple[str, str]]:
    """Each method and path of the API that takes the id of a document. The path has ID in its place."""
    return [
        (method, rule.rule.replace("<id>", "ID").replace("<page>", "1").replace("<store>", "ragbase"))
        for rule in world.client.application.url_map.iter_rules()
        if "<id>" in rule.rule
        for method in sorted((rule.methods or set()) - {"OPTIONS"})
    ]
