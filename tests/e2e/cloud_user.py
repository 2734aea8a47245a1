"""Somebody with write access to the bucket and the address of the API: the only doors that the tests go through."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tests.functions.served import Answer, Served
from tests.servers.local_cloud import LocalCloud

WAIT_SECONDS = 90
"""Longer than Pub/Sub takes to deliver twice more after a first delivery in vain."""

_PAGE = 100

Seen = TypeVar("Seen")


@dataclass(frozen=True)
class User:
    bucket: Any
    api: Served

    def upload(self, name: str, content: str | bytes, content_type: str = "text/markdown") -> None:
        self.bucket.blob(name).upload_from_string(content, content_type=content_type)

    def delete(self, name: str) -> None:
        self.bucket.blob(name).delete()

    def documents(self) -> Mapping[str, Any]:
        """What the listing tells of every document, by its name."""
        listed: dict[str, Any] = {}
        for offset in itertools.count(step=_PAGE):
            page = self._get(f"/api/documents?limit={_PAGE}&offset={offset}")["documents"]
            listed |= {document["filename"]: document for document in page}
            if len(page) < _PAGE:
                break
        return listed

    def open_documents(self) -> int:
        """How many are waiting or in work: much cheaper to ask for than the documents."""
        return sum(
            int(self._get(f"/api/documents?status={status}&limit=1")["total"]) for status in ("PENDING", "PROCESSING")
        )

    def document(self, name: str) -> Any:
        """What the API tells of a document; None where it knows none of that name."""
        listed = self.documents().get(name)
        if listed is None:
            return None
        answer = self.api.send("GET", f"/api/documents/{listed['id']}", None, {})
        return None if answer.status == 404 else answer.json  # it may have gone since it was listed

    def settled(self, name: str) -> Any:
        """The document, once it is COMPLETED or FAILED."""

        def look() -> Any:
            document = self.document(name)
            return document if document and document["status"] in ("COMPLETED", "FAILED") else None

        return eventually(look)

    def query(self, query: str, top_k: int = 100) -> Answer:
        body = json.dumps({"query": query, "topK": top_k}).encode()
        return self.api.send("POST", "/api/query", body, {"Content-Type": "application/json"})

    def ask(self, query: str) -> list[Any]:
        answer = self.query(query)
        assert answer.status == 200, answer.body
        results: list[Any] = answer.json["results"]
        return results

    def _get(self, path: str) -> Any:
        answer = self.api.send("GET", path, None, {})
        assert answer.status == 200, answer.body
        return answer.json


@contextmanager
def user_of(cloud: LocalCloud) -> Iterator[User]:
    from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package says nothing of types

    settings = cloud.settings()
    client = Client(
        project=settings["GOOGLE_CLOUD_PROJECT"],
        use_auth_w_custom_endpoint=False,
        client_options={"api_endpoint": settings["STORAGE_EMULATOR_HOST"]},
    )
    try:
        yield User(client.bucket(settings["RAGBASE_BUCKET"]), Served(settings["RAGBASE_ENDPOINT"], cloud.log("api")))
    finally:
        client.close()


def eventually(look: Callable[[], Seen | None], seconds: float = WAIT_SECONDS, *, every: float = 0.05) -> Seen:
    """What `look` sees, once it sees something. It looks `every` so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        seen = look()
        if seen:
            return seen
        time.sleep(every)
    raise AssertionError(f"Nothing was seen within {seconds:g} s.")
