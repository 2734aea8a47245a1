"""What each function does: its real code works in this process over a data folder, and every call of a port is noted as
the right that it needs in the cloud."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from ragbase.adapters.embedded.local_queue import UPLOADS
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.interfaces.http import start
from ragbase.pipeline.process import process
from ragbase.pipeline.route import route
from ragbase.ports import StoredObject, Topic
from ragbase.settings import Config
from ragbase.testing.clock import VirtualClock
from tests.functions.recorded import Recorded

FUNCTIONS = Path(__file__).parents[2] / "functions"

_RECORDS = dict.fromkeys(("documents", "changes", "dead_letters", "checkpoints", "audit_log"), "records")
_BUCKETS = {
    "bucket": "documents",
    "texts": "texts",
    "part_texts": "texts",
    "word_boxes": "texts",
    "audit_exports": "audit",
}
_READING = {"stat", "stat_many", "read", "list", "list_all", "scan", "sign_download"}
_WRITING = {"put", "delete", "delete_many", "sign_upload", "begin_upload"}
_ANNOUNCING = {"announce", "announced"}
"""By these, the bucket in a folder tells the queue what is new. Cloud Storage does so by itself."""
_PORTS = (*_RECORDS, *_BUCKETS, "publisher", "indexes", "embedder")


def right(port: str, method: str, arguments: tuple[Any, ...]) -> set[str]:
    """The rights that a call needs in the cloud. Raises AssertionError for a method that nobody has judged yet."""
    if port in _RECORDS:
        return {"records"}
    if method in _ANNOUNCING:
        return set()
    if port == "publisher":
        assert method == "publish", method
        return {f"publish to {Topic(arguments[0]).value}"}
    if port == "indexes":
        return {"weaviate"}
    if port == "embedder":
        assert method.startswith("embed_"), method
        return {"cohere"}
    assert method in _READING | _WRITING, (port, method)
    kind = "write" if method in _WRITING else "read"
    return {f"{kind} {_BUCKETS[port]}"} | ({"sign"} if method.startswith("sign_") else set())


class _Noted:
    """A port whose calls are noted."""

    def __init__(self, port: object, name: str, used: set[str]) -> None:
        self._port, self._name, self._used = port, name, used

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._port, attribute)
        return self._noting(attribute, found) if callable(found) else found

    def _noting(self, method: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **named: Any) -> Any:
            self._used.update(right(self._name, method, arguments))
            return call(*arguments, **named)

        return noted


class Noting(EmbeddedProfile):
    """A function's profile over a data folder. It starts `late`, so that nothing is in motion any more."""

    used: set[str]
    late = timedelta(0)

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._clock = VirtualClock(datetime.now(UTC) + self.late)

    @property
    def clock(self) -> VirtualClock:
        return self._clock

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return _Noted(found, name, type(self).used) if name in _PORTS and found is not None else found

    def sources_file(self) -> tuple[str, str | None]:
        self.used.add("read sources")
        return super().sources_file()


class World:
    """A data folder, what happens in it, and the functions that work on it."""

    def __init__(self, folder: Path, variables: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._variables = variables
        settings = {"RAGBASE_HOME": str(folder), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}
        for name, value in settings.items():
            variables.setenv(name, value)
        self.profile = EmbeddedProfile(load_config(environment=settings))
        self.profile.open_index()

    def function(self, name: str, *, late: timedelta = timedelta(0)) -> tuple[ModuleType, set[str]]:
        """The function as it starts, and the rights that it uses from now on."""
        used = set[str]()
        noting = type(name, (Noting,), {"used": used, "late": late})
        self._variables.setattr(start, "CloudProfile", noting)
        spec = importlib.util.spec_from_file_location(f"used_{name}", FUNCTIONS / name / "main.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module, used

    def put(self, name: str, data: bytes, content_type: str = "") -> StoredObject:
        return self.profile.bucket.put(name, data, content_type=content_type)

    def routed(self, topic: Topic = Topic.FAST) -> list[Job]:
        """The jobs of a lane after every upload was routed, taken off its topic."""
        queue = self.profile.publisher
        for upload in queue.receive(UPLOADS, 1_000):
            route(upload.event, self.profile)
            queue.receive(UPLOADS, 0, [upload.id])
        deliveries = queue.receive(topic.value, 1_000)
        queue.receive(topic.value, 0, [delivery.id for delivery in deliveries])
        return [delivery.job for delivery in deliveries]

    def work(self) -> None:
        """Route every upload, and do every job that waits."""
        for topic, lane in {Topic.FAST: Lane.FAST, Topic.HEAVY: Lane.HEAVY}.items():
            while jobs := self.routed(topic):
                for job in jobs:
                    process(job, self.profile.worker(lane))

    def record(self, name: str) -> Document:
        record = self.profile.documents.get(document_id("uploads", name))
        assert record is not None, name
        return record

    def change(self, name: str, **fields: Any) -> Document:
        """The record of a document, changed by hand."""
        changed = replace(self.record(name), **fields)
        self.profile.documents.update(changed.id, lambda _: changed)
        return changed

    def close(self) -> None:
        self.profile.close()


def call(function: Callable[[Request], Any], request: Recorded | None = None) -> Any:
    """The answer of a function to a push, or to an empty POST."""
    headers, data = (list(request.headers.items()), request.data) if request is not None else ([], b"")
    return function(Request(EnvironBuilder(method="POST", headers=headers, data=data).get_environ()))


def needed(used: set[str]) -> set[str]:
    """Who may write may also read."""
    return {one for one in used if not (one.startswith("read ") and one.replace("read", "write", 1) in used)}
