"""The four functions, each served for real over one data folder, from the bucket's notification to the answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.limits import MAX_RETRIES
from ragbase.messages.job_message import encode_job
from ragbase.ports import StoredObject, Topic
from ragbase.upkeep.dead_letters.replay import Fate, replay
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.user import Answer
from tests.functions.recorded import Recorded, cloud_event, job_push, notification, push, recorded
from tests.functions.served import FUNCTIONS, REPOSITORY, Served, command, environment

GUIDE = "# Backups\n\nThe nightly backup starts at {time} and is kept for ninety days in a second region.\n"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    return {"RAGBASE_HOME": str(home), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}


class System:
    """What the cloud does around the functions: the bucket's events are posted to the router, its jobs to the lanes."""

    def __init__(self, profile: EmbeddedProfile, function: Callable[[str], Served]) -> None:
        self.profile = profile
        self.function = function

    def route(self, request: Recorded) -> Answer:
        return self.function("router").post(request)

    def published(self, topic: Topic) -> list[Job]:
        """The jobs on a lane's topic, taken off it."""
        queue = self.profile.publisher
        deliveries = queue.receive(topic.value, 100)
        queue.receive(topic.value, 0, [delivery.id for delivery in deliveries])
        return [delivery.job for delivery in deliveries]

    def work_off(self, topic: Topic = Topic.FAST) -> list[Answer]:
        lane = self.function("heavy_lane" if topic is Topic.HEAVY else "fast_lane")
        return [lane.post(job_push(job)) for job in self.published(topic)]

    def record(self, name: str) -> Document:
        record = self.profile.documents.get(document_id("uploads", name))
        assert record is not None
        return record

    def ingest(self, name: str, text: str) -> StoredObject:
        stored = self.profile.bucket.put(name, text.encode(), content_type="text/markdown")
        assert self.route(notification("pubsub_finalize", stored)).status == 204
        assert [answer.status for answer in self.work_off()] == [204]
        return stored

    def found(self, query: str) -> list[str]:
        """The texts that a query finds, of the whole folder."""
        return [result["content"] for result in self.results(query)]

    def results(self, query: str) -> list[dict[str, Any]]:
        body = Recorded({"Content-Type": "application/json"}, {"query": query, "topK": 50})
        answer = self.function("api").post(body, "/api/query")
        assert answer.status == 200
        results: list[dict[str, Any]] = answer.json["results"]
        return results


@pytest.fixture
def system(profile: EmbeddedProfile, function: Callable[[str], Served]) -> System:
    return System(profile, function)


def test_a_file_becomes_a_cited_answer(system: System) -> None:
    stored = system.profile.bucket.put("guides/cited.md", GUIDE.format(time="02:30").encode())

    assert system.route(notification("pubsub_finalize", stored)) == Answer(204, b"")
    assert system.record("guides/cited.md").status is Status.PENDING
    assert [answer.status for answer in system.work_off()] == [204]
    assert system.record("guides/cited.md").status is Status.COMPLETED

    best = system.results("When does the nightly backup start?")[0]
    where = best["metadata"]
    assert best["documentId"] == document_id("uploads", "guides/cited.md")
    assert best["filename"] == "guides/cited.md"
    assert 0.5 <= best["score"] <= 1
    assert best["content"] == GUIDE.format(time="02:30")[where["charStart"] : where["charEnd"]]


def test_an_overwritten_file_answers_with_its_new_text_alone(system: System) -> None:
    system.ingest("guides/edited.md", GUIDE.format(time="03:45 Greenwich"))
    old = system.profile.bucket.stat("guides/edited.md")
    new = system.profile.bucket.put("guides/edited.md", GUIDE.format(time="04:50 Greenwich").encode())
    assert old is not None
    # The end of the old generation may be heard before and after the new one.
    assert system.route(notification("pubsub_overwrite_delete", old)).status == 204
    assert system.route(notification("pubsub_overwrite_finalize", new)).status == 204
    assert system.route(notification("pubsub_overwrite_delete", old)).status == 204
    assert [answer.status for answer in system.work_off()] == [204]

    texts = system.found("nightly backup Greenwich")
    assert any("04:50" in text for text in texts)
    assert not any("03:45" in text for text in texts)


def test_a_deleted_file_is_gone_at_once_and_its_chunks_with_the_next_job(system: System) -> None:
    system.ingest("guides/deleted.md", GUIDE.format(time="05:55 Valparaíso"))
    assert any("Valparaíso" in text for text in system.found("nightly backup Valparaíso"))
    gone = system.profile.bucket.delete("guides/deleted.md")
    assert gone is not None
    assert system.route(notification("pubsub_delete", gone)).status == 204
    assert not any("Valparaíso" in text for text in system.found("nightly backup Valparaíso"))
    assert [answer.status for answer in system.work_off()] == [204]
    assert not system.profile.open_index().vectors().read(document_id("uploads", "guides/deleted.md"), gone.generation)


@pytest.mark.parametrize(("path", "status"), [("/api/documents", 400), ("/api/query", 413)])
def test_a_body_of_5_gb_is_refused_unread(system: System, path: str, status: int) -> None:
    """Nothing of it is sent, and the answer comes all the same."""
    address = urlsplit(system.function("api").url)
    with closing(HTTPConnection(address.hostname or "", address.port, timeout=30)) as connection:
        connection.putrequest("POST", path)
        kind = "multipart/form-data; boundary=x" if path == "/api/documents" else "application/json"
        connection.putheader("Content-Type", kind)
        connection.putheader("Content-Length", str(5 * 1024**3))
        connection.endheaders()
        assert connection.getresponse().status == status


def test_eventarc_says_the_same(system: System) -> None:
    stored = system.profile.bucket.put("guides/eventarc.md", GUIDE.format(time="06:05").encode())
    assert system.route(cloud_event("eventarc_finalized", stored)).status == 204
    assert system.record("guides/eventarc.md").generation == stored.generation
    gone = system.profile.bucket.delete("guides/eventarc.md")
    assert gone is not None
    assert system.route(cloud_event("eventarc_deleted", gone)).status == 204
    assert system.record("guides/eventarc.md").tombstone
    assert {answer.status for answer in system.work_off()} == {204}


def test_new_metadata_is_acknowledged_and_changes_nothing(system: System) -> None:
    stored = system.profile.bucket.put("guides/metadata.md", GUIDE.format(time="07:07").encode())
    assert system.route(notification("pubsub_metadata_update", stored)).status == 204
    assert system.profile.documents.get(document_id("uploads", "guides/metadata.md")) is None
    assert system.published(Topic.FAST) == []


def test_a_kind_of_file_that_nothing_reads_is_failed_and_acknowledged(system: System) -> None:
    stored = system.profile.bucket.put("slides.key", b"PK\x03\x04\0" * 100, content_type="application/x-iwork-keynote")
    assert system.route(notification("pubsub_finalize", stored)).status == 204
    assert {answer.status for answer in system.work_off()} == {204}
    failure = system.record("slides.key").failure
    assert failure is not None
    assert failure.code is ErrorCode.UNSUPPORTED_FORMAT


def test_a_pdf_takes_the_heavy_lane_and_is_cited_by_page(system: System) -> None:
    rivers = " ".join(f"River {number} of the plain runs late in the year." for number in range(40))
    glaciers = " ".join(f"Glacier {number} of the Karakoram keeps its mass." for number in range(40))
    stored = system.profile.bucket.put("papers/ice.pdf", pdf(rivers, glaciers))
    assert system.route(notification("pubsub_finalize", stored)).status == 204
    assert system.published(Topic.FAST) == []
    assert [answer.status for answer in system.work_off(Topic.HEAVY)] == [204]
    assert system.record("papers/ice.pdf").status is Status.COMPLETED
    pages = {
        result["metadata"]["page"]: result["content"] for result in system.results("Which glaciers of the Karakoram?")
    }
    assert "Karakoram" in pages[2]
    assert "River" not in pages[2]


def test_a_job_delivered_twice_is_acknowledged_twice(system: System) -> None:
    stored = system.profile.bucket.put("guides/twice.md", GUIDE.format(time="08:08").encode())
    assert system.route(notification("pubsub_finalize", stored)).status == 204
    (job,) = system.published(Topic.FAST)
    lane = system.function("fast_lane")
    assert [lane.post(job_push(job)).status for _ in range(2)] == [204, 204]
    assert system.record("guides/twice.md").attempts == 1


def test_a_job_that_comes_before_its_record_is_delivered_again(system: System) -> None:
    answer = system.function("fast_lane").post(recorded("fast_lane_job"))
    assert answer.status == 503
    assert answer.json["error"] == "UNAVAILABLE"


def test_a_job_that_was_given_up_is_a_dead_letter_and_its_document_failed(system: System) -> None:
    stored = system.profile.bucket.put("guides/given-up.md", GUIDE.format(time="09:09").encode())
    assert system.route(notification("pubsub_finalize", stored)).status == 204
    (job,) = system.published(Topic.FAST)
    used_up = replace(system.record("guides/given-up.md"), attempts=MAX_RETRIES + 1)
    system.profile.documents.update(used_up.id, lambda _: used_up)
    given_up = push(encode_job(job), {"reason": "Gave up after 3 retries. Cohere is away."})
    assert [system.function("dead_letter").post(given_up).status for _ in range(2)] == [204, 204]
    record = system.record("guides/given-up.md")
    assert record.failure is not None
    assert (record.status, record.failure.reason) == (Status.FAILED, "Gave up after 3 retries. Cohere is away.")
    (dead_letter,) = system.profile.dead_letters.about(record.id)
    assert (dead_letter.message, dead_letter.reason) == (job, record.failure.reason)
    assert replay(dead_letter, system.profile).fate is Fate.REPLAYED
    assert [answer.status for answer in system.work_off()] == [204]
    assert system.record("guides/given-up.md").status is Status.COMPLETED


def test_an_upload_that_the_router_never_took_is_a_dead_letter_and_can_be_replayed(system: System) -> None:
    stored = system.profile.bucket.put("guides/never-routed.md", GUIDE.format(time="10:10").encode())
    assert system.function("dead_letter").post(notification("pubsub_finalize", stored)).status == 204
    (dead_letter,) = system.profile.dead_letters.about(document_id("uploads", stored.name))
    assert replay(dead_letter, system.profile).fate is Fate.REPLAYED
    assert [answer.status for answer in system.work_off()] == [204]
    assert system.record(stored.name).status is Status.COMPLETED


def test_what_nothing_reads_is_kept_and_not_delivered_again(system: System) -> None:
    assert system.function("dead_letter").post(push(b"{")).status == 204
    (dead_letter,) = [one for one in system.profile.dead_letters.page(limit=100) if one.document_id is None]
    assert "This is no lane job" in dead_letter.reason
    assert system.function("dead_letter").post(Recorded({"Content-Type": "application/json"}, None)).status == 400


@pytest.mark.parametrize("name", ["router", "fast_lane", "heavy_lane"])
@pytest.mark.parametrize(
    "malformed",
    [
        Recorded({"Content-Type": "application/json"}, None),
        Recorded({"Content-Type": "application/json"}, {"message": {"data": "not base64!"}}),
        Recorded({"Content-Type": "application/cloudevents+json"}, {"type": "com.example"}),
        push(b"{"),
        push(b"{}", {"eventType": "OBJECT_FINALIZE"}),
        recorded("pubsub_finalize_without_payload"),
    ],
)
def test_a_malformed_message_is_refused_and_harms_nothing(
    name: str, malformed: Recorded, function: Callable[[str], Served]
) -> None:
    served = function(name)
    answer = served.post(malformed)
    assert answer.status == 400
    assert answer.json["error"] == "MALFORMED_MESSAGE"
    assert "push.malformed" in served.log.read_text()


def test_the_api_refuses_in_json(function: Callable[[str], Served]) -> None:
    api, json_type = function("api"), {"Content-Type": "application/json"}
    answers = {
        "NOT_FOUND": api.send("POST", "/api/nothing", b"{}", json_type),
        "METHOD_NOT_ALLOWED": api.send("GET", "/api/query", None, {}),
        "UNSUPPORTED_MEDIA_TYPE": api.send("POST", "/api/query", b"query", {"Content-Type": "text/plain"}),
        "REQUEST_ENTITY_TOO_LARGE": api.send("POST", "/api/query", b" " * 2_000_000, json_type),
        "INVALID_REQUEST": api.send("POST", "/api/query", b'{"query": ""}', json_type),
    }
    assert {code: answer.json["error"] for code, answer in answers.items()} == {code: code for code in answers}
    assert [answer.status for answer in answers.values()] == [404, 405, 415, 413, 400]


def run(name: str, command: list[str], settings: dict[str, str], input: str = "") -> subprocess.CompletedProcess[str]:
    started = environment(name, settings)
    return subprocess.run(command, input=input, env=started, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.prove
@pytest.mark.parametrize("name", ["router", "fast_lane", "heavy_lane", "api"])
def test_a_wrong_setting_stops_the_function_at_start_with_one_line(name: str, tmp_path: Path) -> None:
    settings = {"RAGBASE_HOME": str(tmp_path), "RAGBASE_TOP_K": "0"}
    ended = run(name, command(name), settings)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "top_k" in ended.stderr
    assert "RAGBASE_TOP_K" in ended.stderr


def test_the_router_loads_nothing_that_only_the_lanes_need(settings: dict[str, str], tmp_path: Path) -> None:
    script = f"""
import json, sys
from functions_framework import create_app
from tests.functions.on_a_folder import open_folder

open_folder()
request = json.loads(sys.stdin.read())
client = create_app("router", {str(FUNCTIONS / "router" / "main.py")!r}).test_client()
assert client.post("/", headers=request["headers"], json=request["body"]).status_code == 204
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""
    request = recorded("pubsub_finalize")
    message = json.dumps({"headers": request.headers, "body": request.body})
    path = os.pathsep.join((str(REPOSITORY / "common"), str(REPOSITORY)))
    alone = settings | {"RAGBASE_HOME": str(tmp_path), "PYTHONPATH": path}
    ran = run("router", [sys.executable, "-c", script], alone, message)
    assert ran.returncode == 0, ran.stderr
    heavy = {"chardet", "numpy", "onnxruntime", "pypdfium2", "semantic_text_splitter", "tokenizers"}
    assert heavy.isdisjoint(json.loads(ran.stdout))
