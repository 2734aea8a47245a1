"""How Vertex AI is asked for embeddings: as whom, in which calls, and what its refusals tell the reader."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from threading import Event

import numpy as np
import pytest
from google.auth.compute_engine import Credentials, _metadata
from google.auth.exceptions import DefaultCredentialsError

from ragbase.adapters.vertex.address import host_of
from ragbase.adapters.vertex.connection import VertexConnection
from ragbase.adapters.vertex.embedder import VertexEmbedder
from ragbase.adapters.vertex.identity import GoogleIdentity
from ragbase.domain.errors import ConfigurationError, QuestionRefused, Unavailable
from ragbase.ports import TextRefused, work_until
from tests.doubles.vertex_server import LOCATION, PROJECT, Answer, VertexServer, said, vertex_server

TEXTS = [f"The passage with the number {number}." for number in range(60)]
_PYTHON = re.compile(r"\b[A-Z]\w+(Error|Exception)\b")
DENIED = said(
    403,
    "PERMISSION_DENIED",
    "Permission 'aiplatform.endpoints.predict' denied on resource "
    "'//aiplatform.googleapis.com/projects/project/locations/europe-west4/publishers/google/models/m' (or it may not "
    "exist).",
    "IAM_PERMISSION_DENIED",
)
"""https://github.com/rhel-lightspeed/linux-mcp-server/pull/450"""
DISABLED = said(
    403,
    "PERMISSION_DENIED",
    "Vertex AI API has not been used in project 720070608347 before or it is disabled. Enable it by visiting "
    "https://console.developers.google.com/apis/api/aiplatform.googleapis.com/overview?project=720070608347.",
    "SERVICE_DISABLED",
)
"""https://github.com/GoogleCloudPlatform/vertex-ai-samples/issues/476"""
UNPAID = said(403, "PERMISSION_DENIED", "This API method requires billing to be enabled.", "BILLING_DISABLED")
OVER_QUOTA = said(
    429,
    "RESOURCE_EXHAUSTED",
    "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: "
    "textembedding-gecko. Please submit a quota increase request.",
)
"""https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429"""
INSIDE = (503, {"error": {"code": 503, "message": "The service is currently unavailable.", "status": "UNAVAILABLE"}})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[VertexServer]:
    with vertex_server() as server:
        monkeypatch.setattr(_metadata, "_GCE_METADATA_HOST", server.host)
        yield server


def on(
    server: VertexServer, *, model: str = "gemini-embedding-001", location: str = LOCATION, dimension: int = 16
) -> VertexEmbedder:
    connection = VertexConnection(PROJECT, location, server.url, identity=GoogleIdentity(Credentials))
    return VertexEmbedder(connection, model, dimension, sleep=lambda _: None)


def test_documents_and_questions_are_asked_for_as_such_and_nothing_is_cut(server: VertexServer) -> None:
    with closing(on(server)) as embedder:
        made = embedder.embed_documents(["red ships", "green"])
        embedder.embed_query("red")
    asked, question = server.calls
    assert [instance["task_type"] for instance in asked["instances"]] == ["RETRIEVAL_DOCUMENT"] * 2
    assert [instance["task_type"] for instance in question["instances"]] == ["RETRIEVAL_QUERY"]
    assert asked["parameters"] == {"autoTruncate": False, "outputDimensionality": 16}
    np.testing.assert_allclose([np.linalg.norm(vector) for vector in made.vectors], 1, atol=1e-6)
    assert embedder.model == "vertex-gemini-embedding-001-16"


@pytest.mark.parametrize("most", [250, 5, 1])
def test_a_call_has_as_many_texts_as_the_model_takes_in_the_region(server: VertexServer, most: int) -> None:
    server.most_texts = most
    with closing(on(server)) as embedder:
        made = embedder.embed_documents(TEXTS)
        found = len(server.calls)
        embedder.embed_documents(TEXTS)
    assert len(made.vectors) == 60
    assert max(len(call["instances"]) for call in server.calls[found:]) == min(most, 60)
    assert found <= (1 if most == 250 else 1 + 60 // most), "one refused call shows the limit"


def test_texts_with_too_many_tokens_together_go_in_several_calls_and_are_paid_for_once(server: VertexServer) -> None:
    with closing(on(server)) as embedder:
        made = embedder.embed_documents(["x" * 4_000] * 60)
        found = len(server.calls)
        embedder.embed_documents(["x" * 4_000] * 60)
    assert len(made.vectors) == 60
    assert made.billed_tokens * 2 == server.billed
    assert all(len(call["instances"]) * 1_001 <= 20_000 for call in server.calls[found:]), "the limit is kept"


def test_a_text_that_is_too_long_is_refused_and_not_cut(server: VertexServer) -> None:
    with closing(on(server)) as embedder:
        with pytest.raises(TextRefused, match=r"input token count is 2501 .* chunk_size") as caught:
            embedder.embed_documents(["short", "x" * 10_000, "short"])
        assert caught.value.place == 1
        with pytest.raises(QuestionRefused, match="input token count"):
            embedder.embed_query("x" * 10_000)


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (DENIED, "roles/aiplatform.user in the project project, and enable the API aiplatform.googleapis.com"),
        (DISABLED, "roles/aiplatform.user in the project project, and enable the API aiplatform.googleapis.com"),
    ],
)
def test_a_right_that_lacks_is_named_with_its_remedy(server: VertexServer, refusal: Answer, words: str) -> None:
    server.refusals = [refusal]
    with closing(on(server)) as embedder:
        for ask in (lambda: embedder.embed_documents(TEXTS), embedder.check):
            with pytest.raises(ConfigurationError) as caught:
                ask()
            assert words in str(caught.value) and refusal[1]["error"]["message"][:40] in str(caught.value)
            assert not _PYTHON.search(str(caught.value))
        assert embedder.embed_documents(TEXTS).vectors, "and it works as soon as somebody has granted it"


@pytest.mark.parametrize("wrong", [{"location": "europe-west3"}, {"model": "embed-multilingual-v3.0"}])
def test_a_model_that_the_location_does_not_have_names_both_settings(
    server: VertexServer, wrong: dict[str, str]
) -> None:
    with closing(on(server, **wrong)) as embedder, pytest.raises(ConfigurationError) as caught:  # type: ignore[arg-type]
        embedder.embed_documents(TEXTS)
    assert "Set RAGBASE_EMBEDDING_MODEL to a model that" in str(caught.value)
    assert "or RAGBASE_VERTEX_LOCATION to a location that has the model" in str(caught.value)


@pytest.mark.parametrize(("refusal", "words"), [(UNPAID, "billing of the account"), (INSIDE, "503: The service is")])
def test_an_outage_is_one(server: VertexServer, refusal: Answer, words: str) -> None:
    server.refusals = [refusal]
    with closing(on(server)) as embedder, pytest.raises(Unavailable, match=words):
        embedder.embed_documents(TEXTS)


def test_a_full_quota_is_waited_for(server: VertexServer) -> None:
    server.refusals = [OVER_QUOTA, OVER_QUOTA]
    with closing(on(server)) as embedder:
        assert len(embedder.embed_documents(TEXTS).vectors) == 60


def test_one_token_serves_many_threads(server: VertexServer) -> None:
    with closing(on(server)) as embedder, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: embedder.embed_query(f"question {number}"), range(24)))
    assert server.tokens_given == 1


def test_a_token_that_expires_is_asked_for_again_before_it_does(server: VertexServer) -> None:
    server.lifetime = 60  # less than the four minutes before its end
    with closing(on(server)) as embedder:
        embedder.embed_query("one")
        embedder.embed_query("two")
    assert server.tokens_given == 2


def test_a_token_that_is_not_accepted_is_asked_for_once_more(server: VertexServer) -> None:
    with closing(on(server)) as embedder:
        embedder.embed_query("one")
        server.revoke()
        embedder.embed_query("two")
        assert (server.tokens_given, len(server.calls)) == (2, 3)
        server.refusals = [said(401, "UNAUTHENTICATED", "Request had invalid credentials.")] * 2
        with pytest.raises(ConfigurationError, match=r"401: Request had .* roles/aiplatform\.user"):
            embedder.embed_query("three")
    assert (server.tokens_given, len(server.calls)) == (3, 5)


def test_a_token_is_waited_for_no_longer_than_the_work_may_take() -> None:
    over = Event()

    def late() -> Credentials:
        over.wait(10)
        raise DefaultCredentialsError("late")  # type: ignore[no-untyped-call]  # google-auth types only some of it

    with closing(GoogleIdentity(late)) as identity:
        with work_until(datetime.now(UTC) + timedelta(seconds=0.1)), pytest.raises(Unavailable, match="no token"):
            identity.headers()
        over.set()


def test_without_the_metadata_server_there_is_no_token_and_no_call(
    server: VertexServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("google.auth._exponential_backoff.time.sleep", lambda _: None)
    server.has_metadata = False
    with closing(on(server)) as embedder:
        with pytest.raises(Unavailable, match="Google gave no token: Failed to retrieve"):
            embedder.embed_documents(TEXTS)
        assert server.calls == []
        server.has_metadata = True
        embedder.embed_documents(TEXTS)


def test_no_text_and_no_token_is_in_an_error(server: VertexServer) -> None:
    secret = "The merger with Umbrella closes on Friday."
    with closing(on(server)) as embedder:
        embedder.embed_query("one")
        server.refusals = [said(400, "INVALID_ARGUMENT", f"Cannot embed: {secret} (Bearer ya29.1)")] * 4
        with pytest.raises((TextRefused, ConfigurationError)) as caught:
            embedder.embed_documents([secret])
    assert "Umbrella" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "without embeddings"),
        ({"predictions": []}, "0 embeddings for 60 texts"),
        ("<html><title>Login</title></html>", "200 without JSON: a web page, “Login”"),
        ({"predictions": [{"embeddings": {"values": [1.0] * 17}}] * 60}, "RAGBASE_EMBEDDING_DIMENSION is 16"),
    ],
)
def test_an_answer_of_another_form_says_which(server: VertexServer, body: object, words: str) -> None:
    server.refusals = [(200, body)]
    with closing(on(server)) as embedder, pytest.raises((Unavailable, ConfigurationError), match=words):
        embedder.embed_documents(TEXTS)


@pytest.mark.parametrize(
    ("location", "address"),
    [
        ("europe-west4", "https://europe-west4-aiplatform.googleapis.com"),
        ("eu", "https://aiplatform.eu.rep.googleapis.com"),
        ("global", "https://aiplatform.googleapis.com"),
    ],
)
def test_a_location_has_its_address(location: str, address: str) -> None:
    assert host_of(location) == address
    with closing(VertexConnection("p", location)) as connection:
        expected = f"{address}/v1/projects/p/locations/{location}/publishers/google/models/m:predict"
        assert connection.url_of("m", "predict") == expected


@pytest.mark.parametrize(
    ("project", "location", "url", "words"),
    [
        ("", LOCATION, "", "GOOGLE_CLOUD_PROJECT names no project"),
        ("p", "", "", "RAGBASE_VERTEX_LOCATION = '' is no location"),
        ("p", "Frankfurt!", "", "RAGBASE_VERTEX_LOCATION = 'Frankfurt!' is no location"),
        ("p", LOCATION, "aiplatform", "RAGBASE_VERTEX_URL"),
    ],
)
def test_a_wrong_setting_is_named_before_anything_is_asked(project: str, location: str, url: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(words)):
        VertexConnection(project, location, url)


@pytest.mark.slow
def test_a_function_asks_as_its_own_account_without_any_key(server: VertexServer) -> None:
    """In a process of its own, because google-auth reads these variables when it is imported."""
    program = (
        "from contextlib import closing\n"
        "from ragbase.bootstrap.open_profile import open_profile\n"
        "from ragbase.config import load_config\n"
        "with closing(open_profile(load_config(home='nowhere'))) as profile:\n"
        "    print(profile.embedder.model, profile.embedder.embed_query('ships').shape)\n"
    )
    own = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={
            **own,
            "PYTHONPATH": ":".join(sys.path),
            "GCE_METADATA_HOST": server.host,
            "GCE_METADATA_IP": server.host,
            "CLOUDSDK_CONFIG": os.devnull,
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "RAGBASE_PROFILE": "gcp",
            "RAGBASE_EMBEDDER": "vertex",
            "RAGBASE_VERTEX_LOCATION": LOCATION,
            "RAGBASE_VERTEX_URL": server.url,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.stdout.split("\n")[0] == "vertex-gemini-embedding-001-768 (768,)", ended.stderr[-1_000:]
    assert server.tokens_given == 1
