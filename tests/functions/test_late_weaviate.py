"""A function that starts before it can reach Weaviate, as an instance may in its first minute in a private network.

Each is the real function in a process of its own; a real Weaviate comes up late."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from scripts.local_cloud.weaviate import WeaviateServer, weaviate_server
from tests.doubles.cohere_server import CohereServer, cohere_server
from tests.functions.recorded import Recorded
from tests.functions.served import START, Served, serve
from tests.shared_servers import fresh_project, shared_firestore

pytestmark = pytest.mark.prove

QUESTION = Recorded({"Content-Type": "application/json"}, {"query": "Where is the key?"})


@pytest.fixture
def cohere() -> Iterator[CohereServer]:
    with cohere_server() as server:
        yield server


@pytest.fixture
def late() -> Iterator[WeaviateServer]:
    """A Weaviate that is not there until it is started."""
    with weaviate_server() as server:
        server.kill()
        yield server


def settings(weaviate: WeaviateServer, cohere: CohereServer, *, wait: int) -> dict[str, str]:
    return {
        "RAGBASE_PROFILE": "gcp",
        "RAGBASE_SIGN_IN": "iam",
        "RAGBASE_START_WAIT": str(wait),
        "GOOGLE_CLOUD_PROJECT": fresh_project(),
        "FIRESTORE_EMULATOR_HOST": shared_firestore(),
        "WEAVIATE_URL": weaviate.url,
        "WEAVIATE_GRPC_URL": weaviate.grpc_url,
        "CO_API_KEY": "key",
        "CO_API_URL": cohere.url,
    }


@pytest.mark.parametrize("name", ["fast_lane", "api"])
def test_a_start_waits_for_a_weaviate_that_comes_up_late(
    name: str, late: WeaviateServer, cohere: CohereServer, tmp_path: Path
) -> None:
    with ExitStack() as ending, ThreadPoolExecutor(1) as pool:
        with socket.create_server(("127.0.0.1", late.http_port)) as nobody:
            nobody.settimeout(START)
            serving = serve(name, settings(late, cohere, wait=50), tmp_path / "log")
            starting = pool.submit(ending.enter_context, serving)
            nobody.accept()[0].close()  # the function has asked, and got no answer
        late.start()
        function = starting.result()
        assert "start." not in function.log.read_text()
        if name == "api":
            assert function.post(QUESTION, "/api/query").status == 200


def test_a_start_ends_in_time_and_questions_are_told_to_come_back(
    late: WeaviateServer, cohere: CohereServer, tmp_path: Path
) -> None:
    with serve("api", settings(late, cohere, wait=1), tmp_path / "log") as api:
        assert "start.index_away" in api.log.read_text()
        code, seconds = refused(api)
        assert (code, seconds) == ("UNAVAILABLE", 2)
        late.start()
        assert api.post(QUESTION, "/api/query").status == 200


def refused(api: Served) -> tuple[str, int]:
    """The code of a question that gets 503, and the seconds after which it may be asked again."""
    asked = urllib.request.Request(f"{api.url}/api/query", QUESTION.data, QUESTION.headers)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(asked, timeout=30)
    with caught.value as answer:
        assert answer.code == 503
        return json.loads(answer.read())["error"], int(answer.headers["Retry-After"])
