"""The Google Cloud profile on the local cloud, through its public doors: the bucket and the HTTP API."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from tests.functions.pdf import pdf
from tests.functions.served import Served
from tests.servers.local_cloud import LocalCloud, NotUp
from tests.servers.local_parts import FUNCTIONS, SERVERS

WAIT_SECONDS = 90
"""Longer than Pub/Sub takes to deliver twice more after a first delivery in vain."""

GUIDE = "# Backups\n\nThe nightly backup of the {site} site starts at {time} and is kept for ninety days.\n"

Seen = TypeVar("Seen")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::FutureWarning:google"),  # of grpc versions to come
]


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    cloud = LocalCloud(tmp_path_factory.mktemp("local-cloud"))
    try:
        cloud.up("hashing")
        yield cloud
    finally:
        cloud.down()


@dataclass(frozen=True)
class User:
    """Somebody with write access to the bucket and the address of the API."""

    bucket: Any
    api: Served

    def upload(self, name: str, content: str | bytes, content_type: str = "text/markdown") -> None:
        self.bucket.blob(name).upload_from_string(content, content_type=content_type)

    def delete(self, name: str) -> None:
        self.bucket.blob(name).delete()

    def document(self, name: str) -> Any:
        """What the API tells of a document; None where it knows none of that name."""
        listed = self._get("/api/documents?limit=100")["documents"]
        ids = [document["id"] for document in listed if document["filename"] == name]
        if not ids:
            return None
        answer = self.api.send("GET", f"/api/documents/{ids[0]}", None, {})
        return None if answer.status == 404 else answer.json  # it may have gone since it was listed

    def settled(self, name: str) -> Any:
        """The document, once it is COMPLETED or FAILED."""

        def look() -> Any:
            document = self.document(name)
            return document if document and document["status"] in ("COMPLETED", "FAILED") else None

        return eventually(look)

    def ask(self, query: str) -> list[Any]:
        body = json.dumps({"query": query, "topK": 100}).encode()
        answer = self.api.send("POST", "/api/query", body, {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body
        results: list[Any] = answer.json["results"]
        return results

    def _get(self, path: str) -> Any:
        answer = self.api.send("GET", path, None, {})
        assert answer.status == 200, answer.body
        return answer.json


@pytest.fixture(scope="module")
def user(cloud: LocalCloud) -> Iterator[User]:
    from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package says nothing of types

    settings = cloud.settings()
    client = Client(
        project=settings["GOOGLE_CLOUD_PROJECT"],
        use_auth_w_custom_endpoint=False,
        client_options={"api_endpoint": settings["STORAGE_EMULATOR_HOST"]},
    )
    yield User(client.bucket(settings["RAGBASE_BUCKET"]), Served(settings["RAGBASE_ENDPOINT"], cloud.log("api")))
    client.close()


def eventually(look: Callable[[], Seen | None]) -> Seen:
    """What `look` sees, once it sees something."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        seen = look()
        if seen:
            return seen
        time.sleep(0.05)
    raise AssertionError(f"Nothing was seen within {WAIT_SECONDS} s.")


def test_an_uploaded_file_is_completed_and_answers_with_a_citation(user: User) -> None:
    text = GUIDE.format(site="Aarhus", time="02:30")
    user.upload("guides/cited.md", text)

    document = user.settled("guides/cited.md")
    assert document["status"] == "COMPLETED"
    best = user.ask("When does the nightly backup of the Aarhus site start?")[0]
    where = best["metadata"]
    assert (best["documentId"], best["filename"]) == (document["id"], "guides/cited.md")
    assert best["content"] == text[where["charStart"] : where["charEnd"]]
    assert where["heading"] == "Backups"


def test_an_overwritten_file_answers_with_its_new_text_alone(user: User) -> None:
    user.upload("guides/edited.md", GUIDE.format(site="Bergen", time="03:45"))
    user.settled("guides/edited.md")
    question = "When does the nightly backup of the Bergen site start?"
    assert any("03:45" in result["content"] for result in user.ask(question))

    user.upload("guides/edited.md", GUIDE.format(site="Bergen", time="04:50"))
    eventually(lambda: [result for result in user.ask(question) if "04:50" in result["content"]])
    assert not any("03:45" in result["content"] for result in user.ask(question))


def test_a_deleted_file_is_found_no_more(user: User) -> None:
    user.upload("guides/deleted.md", GUIDE.format(site="Cadiz", time="05:55"))
    user.settled("guides/deleted.md")
    question = "When does the nightly backup of the Cadiz site start?"
    assert any("Cadiz" in result["content"] for result in user.ask(question))

    user.delete("guides/deleted.md")
    eventually(lambda: "gone" if user.document("guides/deleted.md") is None else None)
    assert not any("Cadiz" in result["content"] for result in user.ask(question))


def test_a_pdf_is_cited_by_its_page(user: User) -> None:
    rivers = " ".join(f"River {number} of the plain runs late in the year." for number in range(20))
    glaciers = " ".join(f"Glacier {number} of the Karakoram keeps its mass." for number in range(20))
    user.upload("papers/ice.pdf", pdf(rivers, glaciers), "application/pdf")
    assert user.settled("papers/ice.pdf")["status"] == "COMPLETED"
    best = user.ask("Which glacier of the Karakoram keeps its mass?")[0]
    assert (best["filename"], best["metadata"]["page"]) == ("papers/ice.pdf", 2)


def test_a_kind_of_file_that_nothing_reads_is_failed_with_its_code(user: User) -> None:
    user.upload("slides.key", "no slides" * 20, "application/x-iwork-keynote")
    document = user.settled("slides.key")
    assert document["status"] == "FAILED"
    assert document["failReason"].startswith("UNSUPPORTED_FORMAT: ")


def test_a_part_that_was_killed_is_seen_and_started_again_with_everything_else_left_alone(
    cloud: LocalCloud, user: User
) -> None:
    before = {part.name: part for part in cloud.status()}
    assert set(before) == {*SERVERS, *FUNCTIONS}
    assert {part.health for part in before.values()} == {"healthy"}
    killed = before["fast_lane"].pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: [part for part in cloud.status() if (part.name, part.health) == ("fast_lane", "stopped")])

    cloud.up()
    after = {part.name: part for part in cloud.status()}
    assert {name for name in after if after[name] != before[name]} == {"fast_lane"}
    assert after["fast_lane"].health == "healthy"
    user.upload("guides/again.md", GUIDE.format(site="Durban", time="06:05"))
    assert user.settled("guides/again.md")["status"] == "COMPLETED"


def test_other_vectors_are_refused_while_an_index_has_some(cloud: LocalCloud) -> None:
    with pytest.raises(NotUp, match="hashing"):
        cloud.up("minilm")
