"""POST /internal/callback: what an extractor elsewhere has read becomes the text of a document."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.adapters.embedded.local_queue import UPLOADS
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.lane import Lane
from ragbase.domain.question import Question
from ragbase.engine.search import search
from ragbase.interfaces.api.app import create_app
from ragbase.pipeline.process import process
from ragbase.pipeline.route import route
from ragbase.ports import Topic
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report

FILE = b"# Boiler\n\nThe boiler in the cellar is inspected every spring, before the season ends."
TEXT = "# Tickets\n\nA ticket for the night train has to be bought at the counter before it leaves the platform."
OTHER = "# Lockers\n\nLuggage that is found on a platform is kept in the lockers of the station for three weeks."
SCAN = b"\x89PNG\r\n\x1a\n" + bytes(200)


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[EmbeddedProfile]:
    profile = EmbeddedProfile(load_config(home=tmp_path / "home", environment={}, embedder="hashing"))
    yield profile
    profile.close()


@pytest.fixture
def client(profile: EmbeddedProfile) -> FlaskClient:
    return create_app(profile).test_client()


def work(profile: EmbeddedProfile) -> None:
    """Route every upload and do every job that waits."""
    queue = profile.publisher
    profile.open_index()
    for upload in queue.receive(UPLOADS, 1_000):
        route(upload.event, profile)
        queue.receive(UPLOADS, 0, [upload.id])
    for topic, lane in {Topic.FAST: Lane.FAST, Topic.HEAVY: Lane.HEAVY}.items():
        while deliveries := queue.receive(topic.value, 100):
            for job in deliveries:
                process(job.job, profile.worker(lane))
                queue.receive(topic.value, 0, [job.id])


def upload(client: FlaskClient, name: str = "a.md", data: bytes = FILE) -> str:
    """The id of a document that waits for its lane."""
    form = {"file": (io.BytesIO(data), name), "path": name, "replace": "true"}
    return str(answered(client.post("/api/documents", data=form), 202)["id"])


def made(client: FlaskClient, profile: EmbeddedProfile, name: str = "a.md", data: bytes = FILE) -> str:
    """The id of a document that a lane has read."""
    id = upload(client, name, data)
    work(profile)
    return id


def given(text: str = TEXT, *, pages: int = 3, ocr: bool = False, **more: object) -> dict[str, object]:
    result = {"markdown": text, "pageCount": pages, "ocrApplied": ocr, "processingTimeMs": 812.5}
    return {"success": True, "result": result, **more}


def failed(message: str = "It is blank.", **more: object) -> dict[str, object]:
    return {"success": False, "error": {"code": "OCR_FAILED", "message": message}, **more}


def post(client: FlaskClient, id: str, said: Mapping[str, object]) -> Any:
    return client.post("/internal/callback", json={"documentId": id, **said})


def answered(response: Any, status: int) -> Any:
    assert response.status_code == status, response.data
    return response.json


def refused(response: Any, status: int, code: str) -> None:
    assert answered(response, status)["error"] == code


def found(profile: EmbeddedProfile, question: str) -> list[str]:
    return [result.chunk.text for result in search(Question(question, 9, 0.0), profile)]


def text_of(client: FlaskClient, id: str) -> str:
    return str(client.get(f"/api/documents/{id}/text").get_data(as_text=True))


def record_of(profile: EmbeddedProfile, id: str) -> Document:
    record = profile.documents.get(id)
    assert record is not None
    return record


def stored_texts(profile: EmbeddedProfile) -> int:
    return len(profile.texts.scan(limit=100))


def compared(profile: EmbeddedProfile, *, repairs: bool = False) -> Report:
    report = Report()
    for progress in reconcile(profile, profile.open_index(), repairs=repairs, grace=timedelta()):
        report.add(progress)
    return report


def test_a_given_text_replaces_what_a_lane_has_read(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    assert answered(post(client, id, given(ocr=True)), 202)["status"] == "PENDING"
    assert text_of(client, id) == FILE.decode()  # until the other one is made
    work(profile)
    status = answered(client.get(f"/api/documents/{id}"), 200)
    assert status["status"] == "COMPLETED" and status["notes"] == ["An extractor elsewhere gave its text, with OCR."]
    assert text_of(client, id) == TEXT
    assert found(profile, "a ticket for the night train") == [TEXT]
    assert client.get(f"/api/documents/{id}/content").data == FILE
    active = record_of(profile, id).active
    assert active is not None and (active.page_count, active.text_length) == (3, len(TEXT))
    report = compared(profile)
    assert (report.in_step, report.found.total()) == (1, 0)


def test_a_given_text_comes_before_the_lane(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = upload(client)
    answered(post(client, id, given()), 202)
    work(profile)
    assert text_of(client, id) == TEXT and stored_texts(profile) == 1


@pytest.mark.parametrize(("name", "data"), [("scan.png", SCAN), ("broken.pdf", b"%PDF-1.7 and nothing more")])
def test_a_file_that_no_lane_can_read_gets_a_text(
    client: FlaskClient, profile: EmbeddedProfile, name: str, data: bytes
) -> None:
    (profile.bucket_folder / name).write_bytes(data)
    profile.look_at_bucket()
    work(profile)
    (record,) = profile.documents.scan(profile.bucket.name, limit=9)
    assert record.status is Status.FAILED
    answered(post(client, record.id, given()), 202)
    work(profile)
    assert answered(client.get(f"/api/documents/{record.id}"), 200)["status"] == "COMPLETED"
    assert found(profile, "a ticket for the night train") == [TEXT]


def test_the_same_callback_again_changes_nothing(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    answered(post(client, id, given()), 202)
    assert answered(post(client, id, given()), 200)["status"] == "PENDING"
    work(profile)
    before = record_of(profile, id)
    assert answered(post(client, id, given()), 200)["status"] == "COMPLETED"
    work(profile)
    assert record_of(profile, id) == before and stored_texts(profile) == 1


def test_another_text_replaces_the_one_before_and_its_chunks(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    for text in (TEXT, OTHER, TEXT, OTHER):
        answered(post(client, id, given(text)), 202)
        work(profile)
        assert text_of(client, id) == text
        assert stored_texts(profile) == 1 and compared(profile).found.total() == 0


def test_two_texts_at_once_leave_the_later_one_alone(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    for text in (TEXT, OTHER):
        answered(post(client, id, given(text)), 202)
    work(profile)
    assert text_of(client, id) == OTHER
    assert stored_texts(profile) == 1 and compared(profile).found.total() == 0


def test_a_new_version_of_the_file_ends_the_given_text(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    answered(post(client, id, given()), 202)
    work(profile)
    upload(client, data=FILE + b" And again in autumn.")
    assert text_of(client, id) == TEXT
    work(profile)
    assert text_of(client, id).endswith("autumn.")
    assert stored_texts(profile) == 0 and record_of(profile, id).given_text is None


@pytest.mark.parametrize("is_made", [True, False])
def test_a_deletion_erases_the_given_text(client: FlaskClient, profile: EmbeddedProfile, is_made: bool) -> None:
    id = made(client, profile)
    answered(post(client, id, given()), 202)
    if is_made:
        work(profile)
    assert client.delete(f"/api/documents/{id}").status_code == 204
    refused(post(client, id, given()), 404, "NOT_FOUND")
    work(profile)
    assert stored_texts(profile) == 0 and not found(profile, "a ticket for the night train")


def test_twins_have_texts_of_their_own(client: FlaskClient, profile: EmbeddedProfile) -> None:
    first, second = made(client, profile, "first.md"), made(client, profile, "second.md")
    answered(post(client, first, given()), 202)
    work(profile)
    third = made(client, profile, "third.md")
    assert [text_of(client, id) for id in (first, second, third)] == [TEXT, FILE.decode(), FILE.decode()]
    paid = record_of(profile, third).usage
    answered(post(client, third, given()), 202)
    work(profile)
    assert text_of(client, third) == TEXT and record_of(profile, third).usage == paid  # it has a duplicate
    assert client.delete(f"/api/documents/{first}").status_code == 204
    work(profile)
    assert text_of(client, third) == TEXT and stored_texts(profile) == 1


def test_a_text_that_is_too_short_does_not_hide_what_a_lane_has_read(
    client: FlaskClient, profile: EmbeddedProfile
) -> None:
    id = made(client, profile)
    answered(post(client, id, given("Short.")), 202)
    work(profile)
    status = answered(client.get(f"/api/documents/{id}"), 200)
    assert status["status"] == "COMPLETED" and status["failReason"].startswith("TEXT_TOO_SHORT")
    assert text_of(client, id) == FILE.decode()
    assert compared(profile).found.total() == 0
    answered(post(client, id, given()), 202)
    work(profile)
    assert text_of(client, id) == TEXT and stored_texts(profile) == 1


def test_a_repair_ends_a_text_that_has_failed(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    generation = record_of(profile, id).generation
    answered(post(client, id, given("Short.")), 202)
    work(profile)
    vectors = profile.open_index().vectors_of("a.md")
    vectors.delete(id, generation=generation)
    assert compared(profile, repairs=True).found.total() >= 1
    work(profile)
    compared(profile, repairs=True)
    assert text_of(client, id) == FILE.decode()
    assert compared(profile).found.total() == 0 and stored_texts(profile) == 0


def test_a_failure_elsewhere_ends_the_work(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = upload(client)
    assert answered(post(client, id, failed()), 202)["failReason"] == "OCR_FAILED: It is blank."
    assert answered(post(client, id, failed()), 200)["status"] == "FAILED"
    assert answered(post(client, id, failed("It is upside down.")), 202)["failReason"].endswith("upside down.")
    work(profile)
    assert record_of(profile, id).status is Status.FAILED and not found(profile, "the boiler")
    answered(client.post(f"/api/documents/{id}/retry"), 202)
    work(profile)
    assert text_of(client, id) == FILE.decode()


def test_a_failure_elsewhere_takes_the_text_of_the_version_before_away(
    client: FlaskClient, profile: EmbeddedProfile
) -> None:
    id = made(client, profile)
    upload(client, data=FILE + b" And again in autumn.")
    answered(post(client, id, failed()), 202)
    work(profile)
    assert not found(profile, "the boiler") and compared(profile).found.total() == 0


def test_a_failure_elsewhere_comes_too_late(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    before = record_of(profile, id)
    refused(post(client, id, failed()), 409, "ALREADY_READ")
    assert record_of(profile, id) == before
    answered(post(client, id, given()), 202)
    refused(post(client, id, failed()), 409, "ALREADY_READ")
    work(profile)
    assert text_of(client, id) == TEXT


def test_a_callback_about_another_version_changes_nothing(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    before = record_of(profile, id)
    for said in (given(generation="1"), failed(generation="1")):
        refused(post(client, id, said), 409, "CONTENT_CHANGED")
    assert record_of(profile, id) == before and stored_texts(profile) == 0
    answered(post(client, id, given(generation=str(before.generation))), 202)


@pytest.mark.parametrize("said", [{"success": True}, {"success": False}, given(generation="-1"), given(generation=7)])
def test_a_callback_that_does_not_say_what_it_has_to(
    client: FlaskClient, profile: EmbeddedProfile, said: dict[str, object]
) -> None:
    id = made(client, profile)
    refused(post(client, id, said), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("said", [given(), failed()])
def test_a_callback_about_no_document(client: FlaskClient, said: dict[str, object]) -> None:
    refused(post(client, "00000000-0000-0000-0000-000000000000", said), 404, "NOT_FOUND")


def test_a_text_that_is_too_large(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    refused(post(client, id, given("x" * (16 * 1024 * 1024))), 413, "REQUEST_ENTITY_TOO_LARGE")
    assert stored_texts(profile) == 0


def test_offsets_count_in_the_given_text(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    text = "\ufeff---\ntitle: Night trains\n---\r\n" + TEXT + "\n\n" + "\n\n".join([OTHER] * 40)
    answered(post(client, id, given(text)), 202)
    work(profile)
    chunks = answered(client.get(f"/api/documents/{id}/chunks?limit=100"), 200)["chunks"]
    assert len(chunks) > 3
    for chunk in chunks:
        assert text[chunk["metadata"]["charStart"] : chunk["metadata"]["charEnd"]] == chunk["content"]


def test_a_text_that_nobody_names_is_swept(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    answered(post(client, id, given()), 202)
    work(profile)
    for lost in (id, "00000000-0000-0000-0000-000000000000"):
        profile.texts.put(lost, -7, OTHER)
    assert compared(profile).found.total() == 2
    assert compared(profile, repairs=True).left.total() == 0
    assert stored_texts(profile) == 1 and compared(profile).found.total() == 0


def test_a_text_that_is_gone_says_so(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = upload(client)
    answered(post(client, id, given()), 202)
    (text,) = profile.texts.scan(limit=9)
    profile.texts.delete(id, text.generation)
    work(profile)
    assert "Let the extractor send it again" in answered(client.get(f"/api/documents/{id}"), 200)["failReason"]
    answered(post(client, id, given()), 202)
    work(profile)
    assert text_of(client, id) == TEXT


def test_a_given_text_that_cannot_be_kept(client: FlaskClient, profile: EmbeddedProfile) -> None:
    id = made(client, profile)
    body = json.dumps({"documentId": id, **given("\ud800" + TEXT)})
    refused(client.post("/internal/callback", data=body, content_type="application/json"), 400, "INVALID_REQUEST")
