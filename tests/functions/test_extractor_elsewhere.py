"""With the setting extractor = external, files wait for the text that an extractor elsewhere reads."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.domain.document import Document
from ragbase.interfaces.api.app import create_app
from ragbase.pipeline.not_answered import end_all_overdue
from ragbase.pipeline.publish_job import publish_job
from ragbase.testing.clock import VirtualClock
from ragbase.upkeep.janitor import janitor
from tests.functions.guarded import Guarded
from tests.functions.left_to_extractor import FILE, SECONDS, left_to_extractor
from tests.functions.test_callbacks import (
    OTHER,
    TEXT,
    answered,
    compared,
    failed,
    found,
    given,
    made,
    post,
    record_of,
    refused,
    stored_texts,
    text_of,
    upload,
    work,
)
from tests.unit.formats.pdf.pdf_files import pdf

EDITED = pdf([(11, "The boiler in the cellar is inspected every autumn, before the season begins.")])


@pytest.fixture
def profile(tmp_path: Path, clock: VirtualClock) -> Iterator[Guarded]:
    with left_to_extractor(tmp_path / "home", clock) as profile:
        yield profile


@pytest.fixture
def client(profile: Guarded) -> FlaskClient:
    return create_app(profile).test_client()


def waiting(client: FlaskClient, limit: int = 100) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = answered(client.get(f"/internal/extractions?limit={limit}"), 200)["extractions"]
    return listed


def left(client: FlaskClient, profile: Guarded, data: bytes = FILE) -> str:
    """The id of a document that its lane has left to the extractor."""
    id = made(client, profile, "boiler.pdf", data)
    assert [one["id"] for one in waiting(client)] == [id]
    return id


def unchanged(profile: Guarded, before: Document) -> None:
    assert record_of(profile, before.id) == before and stored_texts(profile) == (before.given_text is not None)


def test_a_file_waits_and_its_text_is_searched(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    assert answered(client.get(f"/api/documents/{id}"), 200)["status"] == "PROCESSING"
    (one,) = waiting(client)
    assert answered(client.get(f"/api/documents/{id}"), 200)["extractorUntil"] == one["until"]
    assert (one["filename"], one["format"], one["size"]) == ("boiler.pdf", "pdf", len(FILE))
    assert client.get(one["content"]).data == FILE

    assert answered(post(client, id, given(generation=one["generation"])), 202)["status"] == "PENDING"
    assert waiting(client) == []
    assert "extractorUntil" not in answered(client.get(f"/api/documents/{id}"), 200)
    work(profile)
    assert text_of(client, id) == TEXT and found(profile, "a ticket for the night train") == [TEXT]
    assert compared(profile).found.total() == 0


def test_texts_are_read_by_their_lane(client: FlaskClient, profile: Guarded) -> None:
    id = made(client, profile, "notes.md", b"# Lockers\n\nLuggage that is found on a platform is kept in the lockers.")
    assert answered(client.get(f"/api/documents/{id}"), 200)["status"] == "COMPLETED" and waiting(client) == []


def test_a_file_that_is_no_pdf_is_not_handed_out(client: FlaskClient, profile: Guarded) -> None:
    id = made(client, profile, "notes.pdf", b"# Lockers\n\nLuggage that is found on a platform is kept in the lockers.")
    status = answered(client.get(f"/api/documents/{id}"), 200)
    assert status["failReason"].startswith("CORRUPT_FILE") and waiting(client) == []


def test_a_failure_elsewhere_ends_the_wait(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    assert answered(post(client, id, failed()), 202)["failReason"] == "OCR_FAILED: It is blank."
    assert answered(post(client, id, failed()), 200)["status"] == "FAILED"
    work(profile)
    assert waiting(client) == []
    answered(client.post(f"/api/documents/{id}/retry"), 202)
    work(profile)
    assert [one["id"] for one in waiting(client)] == [id]


def test_a_job_that_comes_again_changes_nothing(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    before = record_of(profile, id)
    publish_job(before, profile)
    work(profile)
    unchanged(profile, before)
    assert before.attempts == 0


def test_a_doubled_callback_changes_nothing(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    answered(post(client, id, given()), 202)
    before = record_of(profile, id)
    answered(post(client, id, given()), 200)
    for said in (given(OTHER), failed()):
        assert post(client, id, said).status_code == 409
    unchanged(profile, before)
    work(profile)
    before = record_of(profile, id)
    for said in (given(OTHER), failed()):
        assert post(client, id, said).status_code == 409
    unchanged(profile, before)
    assert text_of(client, id) == TEXT


def test_a_callback_about_another_version_changes_nothing(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    old = waiting(client)[0]["generation"]
    upload(client, "boiler.pdf", EDITED)
    for said in (given(generation=old), failed(generation=old)):
        refused(post(client, id, said), 409, "CONTENT_CHANGED")
    refused(post(client, id, given()), 409, "NOT_AWAITED")  # the new version is not handed out yet
    work(profile)
    before = record_of(profile, id)
    refused(post(client, id, given(generation=old)), 409, "CONTENT_CHANGED")
    unchanged(profile, before)
    answered(post(client, id, given()), 202)


def test_a_callback_about_a_document_that_does_not_wait_changes_nothing(client: FlaskClient, profile: Guarded) -> None:
    id = made(client, profile, "notes.md", b"# Lockers\n\nLuggage that is found on a platform is kept in the lockers.")
    before = record_of(profile, id)
    refused(post(client, id, given()), 409, "NOT_AWAITED")
    assert post(client, id, failed()).status_code == 409
    unchanged(profile, before)


@pytest.mark.parametrize("by_janitor", [True, False])
def test_without_a_callback_the_document_times_out(
    client: FlaskClient, profile: Guarded, clock: VirtualClock, by_janitor: bool
) -> None:
    id = left(client, profile)
    clock.advance(timedelta(seconds=SECONDS, minutes=11) if by_janitor else timedelta(seconds=SECONDS))
    assert waiting(client) == []
    refused(post(client, id, given()), 409, "NOT_AWAITED")  # too late, although nobody has looked yet
    if by_janitor:
        janitor(profile, profile.open_index())
    else:
        end_all_overdue(profile)
    work(profile)
    status = answered(client.get(f"/api/documents/{id}"), 200)
    assert status["status"] == "FAILED" and status["failReason"].startswith("TIMEOUT: The extractor elsewhere did not")
    before = record_of(profile, id)
    for said in (given(), failed()):
        refused(post(client, id, said), 409, "NOT_AWAITED")
    unchanged(profile, before)


def test_the_extractor_has_its_time_and_no_more_though_the_clock_is_put_back(
    client: FlaskClient, profile: Guarded, clock: VirtualClock
) -> None:
    id = left(client, profile)
    clock.set(clock.now() - timedelta(days=1))
    end_all_overdue(profile)
    assert len(waiting(client)) == 1
    clock.advance(timedelta(seconds=SECONDS))
    end_all_overdue(profile)
    work(profile)
    assert answered(client.get(f"/api/documents/{id}"), 200)["status"] == "FAILED"


def test_a_document_in_time_is_left_alone(client: FlaskClient, profile: Guarded, clock: VirtualClock) -> None:
    before = record_of(profile, left(client, profile))
    clock.advance(timedelta(seconds=SECONDS - 1))
    end_all_overdue(profile)
    janitor(profile, profile.open_index())
    work(profile)
    unchanged(profile, before)


def test_search_shows_the_version_before_until_the_new_text_is_there(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    answered(post(client, id, given()), 202)
    work(profile)
    left(client, profile, EDITED)
    assert text_of(client, id) == TEXT and found(profile, "a ticket for the night train") == [TEXT]
    generation = waiting(client)[0]["generation"]
    answered(post(client, id, given(OTHER, generation=generation)), 202)
    work(profile)
    assert text_of(client, id) == OTHER and found(profile, "a ticket for the night train") != [TEXT]
    assert compared(profile).found.total() == 0 and stored_texts(profile) == 1


def test_a_deletion_ends_the_wait(client: FlaskClient, profile: Guarded) -> None:
    id = left(client, profile)
    assert client.delete(f"/api/documents/{id}").status_code == 204
    assert waiting(client) == []
    refused(post(client, id, given()), 404, "NOT_FOUND")
    work(profile)
    assert compared(profile).found.total() == 0


def test_those_that_wait_longest_come_first(client: FlaskClient, profile: Guarded, clock: VirtualClock) -> None:
    ids = []
    for name in ("c.pdf", "a.pdf", "b.pdf"):
        clock.advance(timedelta(seconds=1))
        ids.append(made(client, profile, name, FILE + name.encode()))
    assert [one["id"] for one in waiting(client)] == ids
    assert [one["id"] for one in waiting(client, limit=2)] == ids[:2]
    refused(client.get("/internal/extractions?limit=0"), 400, "INVALID_REQUEST")
