"""A user of the local cloud: somebody who can write to the bucket and knows the address of the API."""

from __future__ import annotations

import itertools
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from ragbase.domain.identity import document_id
from scripts.local_cloud.local_cloud import LocalCloud

WAIT_SECONDS = 90
"""Enough for Pub/Sub to deliver a message two more times after a failure."""

_PAGE = 100

Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Api:
    url: str

    def send(
        self, method: str, path: str, data: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        request = urllib.request.Request(self.url + path, data, dict(headers or {}), method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return Answer(response.status, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read())


@dataclass(frozen=True)
class User:
    bucket: Any
    api: Api

    def upload(self, name: str, content: str | bytes, content_type: str = "text/markdown") -> None:
        self.bucket.blob(name).upload_from_string(content, content_type=content_type)

    def delete(self, name: str) -> None:
        self.bucket.blob(name).delete()

    def documents(self) -> Mapping[str, Any]:
        """All documents that the API lists, by name."""
        listed: dict[str, Any] = {}
        for offset in itertools.count(step=_PAGE):
            page = self._get(f"/api/documents?limit={_PAGE}&offset={offset}")["documents"]
            listed |= {document["filename"]: document for document in page}
            if len(page) < _PAGE:
                break
        return listed

    def open_documents(self) -> int:
        """How many documents are PENDING or PROCESSING. This is much cheaper than to list them."""
        return sum(
            int(self._get(f"/api/documents?status={status}&limit=1")["total"]) for status in ("PENDING", "PROCESSING")
        )

    def document(self, name: str) -> Any:
        """What the API says about a document, or None if it knows no document with this name in the
        bucket."""
        answer = self.api.send("GET", f"/api/documents/{document_id(self.bucket.name, name)}")
        if answer.status == 404:
            return None
        assert answer.status == 200, answer.body
        return answer.json

    def settled(self, name: str) -> Any:
        """Wait until the document is COMPLETED or FAILED, and return it."""

        def look() -> Any:
            document = self.document(name)
            return document if document and document["status"] in ("COMPLETED", "FAILED") else None

        return eventually(look)

    def query(self, query: str, top_k: int = 100, **options: float) -> Answer:
        """Ask with these further `options` of the route, such as `threshold`."""
        body = json.dumps({"query": query, "topK": top_k, **options}).encode()
        return self.api.send("POST", "/api/query", body, {"Content-Type": "application/json"})

    def ask(self, query: str, top_k: int = 100, **options: float) -> list[Any]:
        answer = self.query(query, top_k, **options)
        assert answer.status == 200, answer.body
        results: list[Any] = answer.json["results"]
        return results

    def _get(self, path: str) -> Any:
        answer = self.api.send("GET", path)
        assert answer.status == 200, answer.body
        return answer.json


@contextmanager
def user_of(cloud: LocalCloud) -> Iterator[User]:
    with user_with(cloud.settings()) as user:
        yield user


@contextmanager
def user_with(settings: Mapping[str, str]) -> Iterator[User]:
    """Somebody with the settings of a process that uses the local cloud."""
    from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package has no types

    client = Client(
        project=settings["GOOGLE_CLOUD_PROJECT"],
        use_auth_w_custom_endpoint=False,
        client_options={"api_endpoint": settings["STORAGE_EMULATOR_HOST"]},
    )
    try:
        yield User(client.bucket(settings["RAGBASE_BUCKET"]), Api(settings["LOCAL_CLOUD_API"]))
    finally:
        client.close()


def eventually(look: Callable[[], Seen | None], seconds: float = WAIT_SECONDS, *, every: float = 0.05) -> Seen:
    """Call `look` again and again until it returns something true, and return that. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        seen = look()
        if seen:
            return seen
        time.sleep(every)
    raise TimeoutError(f"Nothing was seen within {seconds:g} s.")
