"""Each function as it is deployed: staged, installed with nothing but its own requirements, and asked for its work."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package says nothing of types

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from ragbase.domain.identity import document_id
from ragbase.domain.limits import MAX_RETRIES
from ragbase.ports import StoredObject
from scripts.local_cloud.google_cloud import google_cloud
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.stage import stage
from tests.functions.installed import install
from tests.functions.recorded import Recorded, job_push, notification
from tests.functions.served import REPOSITORY, Served, environment, serve
from tests.fuzz.api import check_description

pytestmark = pytest.mark.prove

GUIDE = "# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days in a second region.\n"
QUESTION = Recorded({"Content-Type": "application/json"}, {"query": "When does the nightly backup start?"})

GOOGLE = {"google.cloud.firestore", "google.cloud.storage", "google.pubsub_v1"}
INDEX = {"Stemmer", "cohere", "numpy", "weaviate"}
PDF = {"pypdfium2"}
SEED = 21
"""Of the requests to the API; `scripts/fuzz api` draws others."""
VENDORS = GOOGLE | INDEX | PDF | {"boto3", "mcp", "onnxruntime", "qdrant_client", "waitress"}
"""The modules that take time to load."""


@pytest.fixture(scope="module")
def settings() -> Iterator[Mapping[str, str]]:
    with google_cloud() as settings:
        yield settings


@pytest.fixture(scope="module")
def profile(settings: Mapping[str, str]) -> Iterator[Profile]:
    """The same cloud in this process, to look at."""
    with pytest.MonkeyPatch.context() as variables:
        for name, value in settings.items():
            variables.setenv(name, value)
        profile = open_profile(load_config())
        yield profile
        profile.close()


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("staged")
    stage(folder)
    return folder


@pytest.fixture(scope="module")
def function(
    settings: Mapping[str, str], staged: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Served]]:
    """The function of a name, running in its own environment."""
    names = sorted(main.parent.name for main in staged.glob("*/main.py"))
    pythons = install(names, staged)
    running: dict[str, Served] = {}
    logs = tmp_path_factory.mktemp("logs")
    # Nothing but what is staged and installed.
    alone = {**settings, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": ""}
    with ExitStack() as stack:

        def get(name: str) -> Served:
            if name not in running:
                log = logs / f"{name}.log"
                served = serve(name, alone, log, python=str(pythons[name]), folder=staged)
                running[name] = stack.enter_context(served)
            return running[name]

        yield get


def put(profile: Profile, name: str, data: bytes) -> StoredObject:
    return profile.bucket.put(name, data)


def record(profile: Profile, stored: StoredObject) -> Document:
    found = profile.documents.get(document_id(stored.bucket, stored.name))
    assert found is not None
    return found


def sent(served: Served, request: Recorded, path: str = "/") -> Any:
    answer = served.post(request, path)
    assert answer.status in (200, 204), served.log.read_text()
    return answer


def test_the_installed_router_records_an_upload(function: Callable[[str], Served], profile: Profile) -> None:
    stored = put(profile, "router.md", GUIDE.encode())
    sent(function("router"), notification("pubsub_finalize", stored))
    assert record(profile, stored).status is Status.PENDING


@pytest.mark.parametrize(
    ("lane", "name", "data"),
    [
        ("fast_lane", "fast.md", GUIDE.encode()),
        ("heavy_lane", "heavy.pdf", pdf("The nightly backup is verified. " * 4)),
    ],
)
def test_an_installed_lane_completes_a_document(
    lane: str, name: str, data: bytes, function: Callable[[str], Served], profile: Profile
) -> None:
    stored = put(profile, name, data)
    sent(function("router"), notification("pubsub_finalize", stored))
    sent(function(lane), job_push(record(profile, stored).job))
    assert record(profile, stored).status is Status.COMPLETED


def test_the_installed_api_answers_from_a_document(function: Callable[[str], Served], profile: Profile) -> None:
    stored = put(profile, "api.md", GUIDE.encode())
    sent(function("router"), notification("pubsub_finalize", stored))
    sent(function("fast_lane"), job_push(record(profile, stored).job))
    results = sent(function("api"), QUESTION, "/api/query").json["results"]
    assert any("02:30" in result["content"] for result in results)


def test_the_installed_api_streams_an_answer(function: Callable[[str], Served], profile: Profile) -> None:
    stored = put(profile, "answer.md", GUIDE.encode())
    sent(function("router"), notification("pubsub_finalize", stored))
    sent(function("fast_lane"), job_push(record(profile, stored).job))
    streamed = Recorded({**QUESTION.headers, "Accept": "text/event-stream"}, QUESTION.body)
    answer = sent(function("api"), streamed, "/api/answer")
    names, data = zip(*(event.split(b"\n") for event in answer.body.split(b"\n\n")[:-1]), strict=True)
    assert names[0] == b"event: evidence" and names[-1] == b"event: done", answer.body
    sentences = [json.loads(one.removeprefix(b"data: ")) for one in data[1:-1]]
    assert any(one["supported"] and one["citations"][0]["text"].startswith("The nightly") for one in sentences), (
        sentences
    )
    assert json.loads(data[-1].removeprefix(b"data: "))["model"] == profile.config.chat_model


def test_the_installed_api_serves_an_assistant(function: Callable[[str], Served], profile: Profile) -> None:
    stored = put(profile, "assistant.md", GUIDE.encode())
    sent(function("router"), notification("pubsub_finalize", stored))
    sent(function("fast_lane"), job_push(record(profile, stored).job))
    call = {"name": "searchKnowledge", "arguments": QUESTION.body}
    headers = {**QUESTION.headers, "Accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    (found,) = sent(function("api"), Recorded(headers, body), "/mcp").json["result"]["content"]
    assert "02:30" in found["text"]


def test_the_installed_api_takes_an_upload_and_shows_it(function: Callable[[str], Served], profile: Profile) -> None:
    boundary = "form"
    head = 'Content-Disposition: form-data; name="file"; filename="taken.md"'
    form = f"--{boundary}\r\n{head}\r\n\r\n{GUIDE}\r\n--{boundary}--\r\n".encode()
    type = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    api = function("api")
    taken = api.send("POST", "/api/documents", form, type)
    assert (taken.status, taken.json["status"], taken.json["lane"]) == (202, "PENDING", "fast"), api.log.read_text()
    document = profile.documents.get(taken.json["id"])
    assert document is not None
    sent(function("fast_lane"), job_push(document.job))
    path = f"/api/documents/{document.id}"
    assert api.send("GET", path).json["status"] == "COMPLETED"
    assert api.send("GET", f"{path}/text").body.decode() == GUIDE
    assert api.send("GET", f"{path}/content").body.decode() == GUIDE
    assert api.send("DELETE", path).status == 204
    assert api.send("GET", path).status == 404


def test_the_installed_api_answers_a_path_with_a_line_break_itself(function: Callable[[str], Served]) -> None:
    answer = function("api").send("POST", "/api/documents/%0Aid/retry")
    assert (answer.status, answer.json["error"]) == (404, "NOT_FOUND")


def test_the_installed_api_does_what_it_says(function: Callable[[str], Served], tmp_path: Path) -> None:
    check_description(function("api").url, tmp_path, seed=SEED, patient=False)


def test_the_installed_dead_letter_function_fails_a_document(
    function: Callable[[str], Served], profile: Profile
) -> None:
    stored = put(profile, "dead_letter.md", GUIDE.encode())
    sent(function("router"), notification("pubsub_finalize", stored))
    used_up = replace(record(profile, stored), attempts=MAX_RETRIES + 1)
    profile.documents.update(used_up.id, lambda _: used_up)
    sent(function("dead_letter"), job_push(used_up.job))
    assert record(profile, stored).status is Status.FAILED


def describe_source(profile: Profile, settings: Mapping[str, str], bucket: str) -> None:
    """A bucket with a document, and a sources.toml that names it."""
    Client(project=settings["GOOGLE_CLOUD_PROJECT"]).create_bucket(bucket)
    theirs = CloudStorageBucket(bucket, project=settings["GOOGLE_CLOUD_PROJECT"])
    theirs.put("docs/guide.md", GUIDE.encode())
    ours = CloudStorageBucket(f"{profile.config.bucket}-sources", project=settings["GOOGLE_CLOUD_PROJECT"])
    ours.put("sources.toml", f'[{bucket}]\naddress = "gs://{bucket}/docs"\ndelete = true\n'.encode())


def test_the_installed_sources_function_brings_a_bucket_in_step(
    function: Callable[[str], Served], settings: Mapping[str, str], profile: Profile
) -> None:
    describe_source(profile, settings, "theirs")
    (source,) = sent(function("sources"), Recorded({"Content-Type": "application/json"}, {})).json["sources"]
    assert (source["name"], source["state"], source["counts"]["added"]) == ("theirs", "done", 1), source
    assert [one.name for one in profile.bucket.list("theirs/")] == ["theirs/docs/guide.md"]


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("router", {"google.cloud.firestore", "google.pubsub_v1"}),
        ("dead_letter", {"google.cloud.firestore", "google.pubsub_v1"}),
        ("fast_lane", {"google.cloud.firestore", "google.cloud.storage", *INDEX}),
        ("heavy_lane", {"google.cloud.firestore", "google.cloud.storage", *INDEX}),
        ("api", {"google.cloud.firestore", *INDEX}),
        ("sources", {"google.cloud.firestore", "google.cloud.storage"}),
    ],
)
def test_a_function_loads_the_vendors_that_it_uses_and_no_other(
    name: str, used: set[str], staged: Path, settings: Mapping[str, str], profile: Profile
) -> None:
    """In the environment of the tests, which has all of them. PDFs are read by a process of their own."""
    text = f"The nightly backup is watched by the function {name}, which has a document of its own."
    stored = put(
        profile, *((f"{name}.pdf", pdf(text)) if name == "heavy_lane" else (f"vendors-{name}.md", text.encode()))
    )
    request, path = notification("pubsub_finalize", stored), "/"
    if name not in ("router", "sources"):
        ask(staged, settings, "router", request)
        request = job_push(record(profile, stored).job)
    if name == "sources":
        describe_source(profile, settings, "vendors")
        request = Recorded({"Content-Type": "application/json"}, {})
    if name == "api":
        ask(staged, settings, "fast_lane", request)
        request, path = QUESTION, "/api/query"
    loaded = ask(staged, settings, name, request, path)
    assert VENDORS & set(loaded) == used


def ask(staged: Path, settings: Mapping[str, str], name: str, request: Recorded, path: str = "/") -> list[str]:
    """The modules that the function has loaded when it has answered."""
    asked = {
        "target": name,
        "source": str(staged / name / "main.py"),
        "path": path,
        "headers": request.headers,
        "body": request.body,
    }
    probe = REPOSITORY / "tests" / "probe.py"
    ended = subprocess.run(
        [sys.executable, "-P", str(probe)],
        input=json.dumps(asked),
        env={**environment(name, settings), "PYTHONPATH": str(staged / name)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout.splitlines()[-1])
    assert report["status"] in (200, 204), report["body"] + ended.stderr
    modules: list[str] = report["modules"]
    return modules
