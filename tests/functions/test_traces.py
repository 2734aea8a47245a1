"""Which trace the log entries of a served function belong to: Cloud Logging shows the work on one upload together."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.messages.job_message import TRACE_ATTRIBUTE, encode_job
from ragbase.ports import StoredObject
from scripts.local_cloud.pdf import pdf
from tests.functions.recorded import Recorded, notification, push
from tests.functions.served import Served

pytestmark = pytest.mark.slow

GUIDE = "# Backups of {name}\n\nThe nightly backup starts at half past two and is kept for ninety days.\n"
FIRST, SECOND = "4bf92f3577b34da6a3ce929d0e0e4736", "a0000000000000000000000000000001"
SPAN = "00f067aa0ba902b7"
PARENT = {"traceparent": f"00-{FIRST}-{SPAN}-01"}
CARRIED = {TRACE_ATTRIBUTE: f"00-{SECOND}-{SPAN}-00"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = str(tmp_path_factory.mktemp("home"))
    own = {"RAGBASE_HOME": home, "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}
    return {**own, "RAGBASE_LOG_LEVEL": "INFO", "GOOGLE_CLOUD_PROJECT": "my-project"}


def entries(served: Served) -> list[dict[str, Any]]:
    return [json.loads(line) for line in served.log.read_text().splitlines() if line.startswith("{")]


def traces(served: Served, request: Recorded, path: str = "/") -> set[str | None]:
    """The traces of what the function logs about a request."""
    before = len(entries(served))
    answer = served.post(request, path)
    logged = entries(served)[before:]
    assert logged, answer
    return {entry.get("logging.googleapis.com/trace") for entry in logged}


def uploaded(profile: EmbeddedProfile, name: str) -> StoredObject:
    text = GUIDE.format(name=name)
    return profile.bucket.put(name, pdf(text) if name.endswith(".pdf") else text.encode())


def job_for(stored: StoredObject, profile: EmbeddedProfile, function: Callable[[str], Served]) -> Recorded:
    """The job that the router publishes for an upload. Those of other uploads are dropped."""
    assert function("router").post(notification("pubsub_finalize", stored)).status == 204
    topic = "heavy-lane" if stored.name.endswith(".pdf") else "fast-lane"
    deliveries = profile.publisher.receive(topic, 100)
    profile.publisher.receive(topic, 0, [delivery.id for delivery in deliveries])
    (job,) = (delivery.job for delivery in deliveries if delivery.job.name == stored.name)
    return push(encode_job(job), CARRIED)


def of(id: str) -> set[str]:
    return {f"projects/my-project/traces/{id}"}


@pytest.mark.parametrize(
    "header",
    [PARENT, {"X-Cloud-Trace-Context": f"{FIRST}/{int(SPAN, 16)};o=1"}],
    ids=["W3C's header", "Google's header"],
)
def test_an_upload_begins_the_trace_of_the_request_that_announces_it(
    header: dict[str, str], profile: EmbeddedProfile, function: Callable[[str], Served]
) -> None:
    request = notification("pubsub_finalize", uploaded(profile, "guides/first.md"))
    router = function("router")

    assert traces(router, replace(request, headers=request.headers | header)) == of(FIRST)
    last = entries(router)[-1]
    assert (last["logging.googleapis.com/spanId"], last["logging.googleapis.com/trace_sampled"]) == (SPAN, True)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("fast_lane", "fast.md"),
        pytest.param("heavy_lane", "heavy.pdf", marks=pytest.mark.prove),
        pytest.param("dead_letter", "given-up.md", marks=pytest.mark.prove),
    ],
)
def test_a_job_belongs_to_the_trace_that_it_carries(
    name: str, file: str, profile: EmbeddedProfile, function: Callable[[str], Served]
) -> None:
    job = job_for(uploaded(profile, file), profile, function)
    assert traces(function(name), replace(job, headers=job.headers | PARENT)) == of(SECOND)


@pytest.mark.parametrize(
    "name",
    [
        "router",
        "fast_lane",
        pytest.param("heavy_lane", marks=pytest.mark.prove),
        pytest.param("dead_letter", marks=pytest.mark.prove),
    ],
)
def test_a_refused_message_belongs_to_the_trace_of_its_request(name: str, function: Callable[[str], Served]) -> None:
    assert traces(function(name), Recorded({"Content-Type": "application/json", **PARENT}, None)) == of(FIRST)


@pytest.mark.prove
def test_a_call_of_the_janitor_belongs_to_its_trace(function: Callable[[str], Served]) -> None:
    assert traces(function("janitor"), Recorded(PARENT, {})) == of(FIRST)


@pytest.mark.parametrize("accepted", ["application/json", "text/event-stream"])
def test_a_question_belongs_to_its_trace_and_the_next_one_does_not(
    accepted: str, profile: EmbeddedProfile, function: Callable[[str], Served]
) -> None:
    assert function("fast_lane").post(job_for(uploaded(profile, "guides/asked.md"), profile, function)).status == 204
    headers = {"Content-Type": "application/json", "Accept": accepted}
    question = Recorded(headers, {"query": "When does the nightly backup start?"})
    api = function("api")
    assert traces(api, replace(question, headers=headers | PARENT), "/api/answer") == of(FIRST)
    assert traces(api, question, "/api/answer") == {None}


@pytest.mark.parametrize(
    "header",
    [
        {"traceparent": f"00-{'0' * 32}-{SPAN}-01"},
        {"traceparent": 'a"trace'},
        {"X-Cloud-Trace-Context": f"{FIRST}/{'9' * 20}"},
        {"X-Cloud-Trace-Context": FIRST},
    ],
)
def test_a_header_that_names_no_trace_is_ignored(
    header: dict[str, str], profile: EmbeddedProfile, function: Callable[[str], Served]
) -> None:
    request = notification("pubsub_finalize", uploaded(profile, "guides/none.md"))
    assert traces(function("router"), replace(request, headers=request.headers | header)) == {None}
