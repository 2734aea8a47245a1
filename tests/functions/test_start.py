"""How a function starts in the cloud: a wrong setting ends it with one line that names the setting, and a service that
is away does not. Each is the real function. Those that only start do so in this process, and those that answer have one
of their own. Some are at a real Weaviate."""

from __future__ import annotations

import importlib.util
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest

from ragbase.bootstrap.cloud import CloudProfile
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.question import Question
from ragbase.engine.search import search
from ragbase.interfaces.http import start as start_of_functions
from ragbase.settings import Config
from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.weaviate import WeaviateServer, weaviate_server
from tests.doubles.cohere_server import cohere_server
from tests.functions.recorded import Recorded
from tests.functions.served import FUNCTIONS, command, environment, serve
from tests.shared_servers import shared_firestore

EVERY = ("router", "fast_lane", "heavy_lane", "dead_letter", "api")
KEY = "the-right-key"
NOWHERE = "http://127.0.0.1:9"
"""The port of the service discard, which nothing listens on."""
VERTEX = {"RAGBASE_EMBEDDER": "vertex", "RAGBASE_VERTEX_LOCATION": "europe-west4", "RAGBASE_VERTEX_URL": NOWHERE}


Start = Callable[[str, Mapping[str, str]], list[str]]
Stop = Callable[[str, Mapping[str, str]], str]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[Start]:
    """Lets a function of this name start with these settings, in this process. It gives what the function logs."""
    opened: list[CloudProfile] = []

    class Noted(CloudProfile):
        def __init__(self, config: Config) -> None:
            super().__init__(config)
            opened.append(self)

    # The log and the garbage collector are those of the whole process.
    monkeypatch.setattr("ragbase.telemetry.configure", lambda *_: None)
    monkeypatch.setitem(sys.modules, "ragbase.interfaces.http.cold_start", ModuleType("cold_start"))
    monkeypatch.setattr(start_of_functions, "CloudProfile", Noted)

    def start(name: str, settings: Mapping[str, str]) -> list[str]:
        for inherited in [one for one in os.environ if one.startswith("RAGBASE_")]:
            monkeypatch.delenv(inherited)
        for variable, value in environment(name, settings).items():
            monkeypatch.setenv(variable, value)
        before = len(caplog.records)
        with caplog.at_level(logging.WARNING), caplog.at_level(logging.WARNING, "ragbase"):
            _load(name)
        return [getattr(record, "action", record.getMessage()) for record in caplog.records[before:]]

    yield start
    for profile in opened:
        profile.close()


def _load(name: str) -> ModuleType:
    """As functions-framework does."""
    spec = importlib.util.spec_from_file_location(f"started_{name}", FUNCTIONS / name / "main.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def stopped(start: Start) -> Stop:
    """The line that a function of this name ends with at start."""

    def stopped(name: str, settings: Mapping[str, str]) -> str:
        with pytest.raises(SystemExit) as ended:
            start(name, settings)
        line = ended.value.code
        assert isinstance(line, str) and "\n" not in line  # Python writes it, and ends with the exit code 1
        return line

    return stopped


@pytest.fixture(scope="module")
def weaviate() -> Iterator[WeaviateServer]:
    """A server with a key. It also allows requests without any key, so that a test can look and tidy up."""
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("AUTHENTICATION_APIKEY_ENABLED", "true")
        variables.setenv("AUTHENTICATION_APIKEY_ALLOWED_KEYS", KEY)
        variables.setenv("AUTHENTICATION_APIKEY_USERS", "ragbase")
        with weaviate_server() as server:
            yield server


@pytest.fixture
def store(weaviate: WeaviateServer) -> Iterator[WeaviateServer]:
    """The same server, empty."""
    yield weaviate
    for alias in weaviate.request("GET", "aliases")["aliases"]:
        weaviate.request("DELETE", f"aliases/{alias['alias']}")
    for index in weaviate.request("GET", "schema")["classes"]:
        weaviate.request("DELETE", f"schema/{index['class']}")


def settings(**changed: str) -> dict[str, str]:
    """Those of the profile gcp, all valid except what is changed; an empty one counts as not set."""
    right = {
        "RAGBASE_PROFILE": "gcp",
        "RAGBASE_BUCKET": "uploads",
        "GOOGLE_CLOUD_PROJECT": "project",
        "WEAVIATE_URL": NOWHERE,
        "WEAVIATE_GRPC_URL": "",
        "WEAVIATE_API_KEY": KEY,
        "CO_API_KEY": "key",
        "CO_API_URL": "",
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
    }
    return right | changed


def of(weaviate: WeaviateServer, **changed: str) -> dict[str, str]:
    return settings(WEAVIATE_URL=weaviate.url, WEAVIATE_GRPC_URL=weaviate.grpc_url, **changed)


def fill(weaviate: WeaviateServer) -> None:
    """Begin the index, with the default model."""
    with cohere_server() as cohere:
        environment = of(weaviate, CO_API_URL=cohere.url)
        with closing(open_profile(load_config(environment=environment))) as profile:
            profile.fills_index = True
            profile.open_index()


@pytest.mark.parametrize("name", EVERY)
def test_every_function_wants_the_project(name: str, stopped: Stop) -> None:
    assert "GOOGLE_CLOUD_PROJECT" in stopped(name, settings(GOOGLE_CLOUD_PROJECT=""))


@pytest.mark.parametrize("name", EVERY)
def test_every_function_wants_the_profile_gcp(name: str, stopped: Stop) -> None:
    assert "RAGBASE_PROFILE=gcp" in stopped(name, settings(RAGBASE_PROFILE="embedded"))


@pytest.mark.slow
def test_several_wrong_settings_are_one_line() -> None:
    """In a process of its own, under functions-framework."""
    wrong = settings(RAGBASE_TOP_K="0", RAGBASE_EXTRACT_MEMORY="much")
    started = environment("router", wrong, free_port())
    ended = subprocess.run(command("router"), env=started, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1, ended.stderr
    (line,) = ended.stderr.splitlines()
    assert "RAGBASE_TOP_K" in line
    assert "RAGBASE_EXTRACT_MEMORY" in line


@pytest.mark.parametrize("name", ["heavy_lane", "api"])
@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"CO_API_KEY": ""}, "CO_API_KEY"),
        ({"WEAVIATE_URL": ""}, "WEAVIATE_URL"),
        ({"WEAVIATE_URL": "http://nowhere.invalid"}, "WEAVIATE_URL"),
    ],
)
def test_what_uses_the_index_wants_a_key_and_an_address(
    name: str, wrong: dict[str, str], named: str, stopped: Stop
) -> None:
    assert named in stopped(name, settings(**wrong))


@pytest.mark.parametrize("name", ["fast_lane", "janitor", "api"])
def test_with_vertex_ai_no_function_needs_a_key_for_models(name: str, start: Start) -> None:
    assert "start.index_away" in start(name, settings(CO_API_KEY="", **VERTEX))


def test_the_janitor_starts_without_a_key_for_models(start: Start) -> None:
    assert "start.index_away" in start("janitor", settings(CO_API_KEY="", RAGBASE_RERANKER="cohere"))


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"WEAVIATE_URL": "127.0.0.1:8080"}, "WEAVIATE_URL"),
        ({"WEAVIATE_URL": "ftp://127.0.0.1"}, "weaviate_url"),
        ({"WEAVIATE_GRPC_URL": "http://nowhere.invalid"}, "WEAVIATE_GRPC_URL"),
        ({"RAGBASE_WEAVIATE_ALIAS": "no-dashes"}, "weaviate_alias"),
        ({"CO_API_URL": "http://nowhere.invalid"}, "CO_API_URL"),
        ({"CO_API_KEY": "two\nlines"}, "CO_API_KEY"),
        ({"RAGBASE_EMBEDDER": "openai", "OPENAI_API_KEY": "key"}, "OPENAI_BASE_URL"),
        ({"RAGBASE_EMBEDDER": "vertex"}, "RAGBASE_VERTEX_LOCATION"),
        ({**VERTEX, "RAGBASE_VERTEX_URL": "http://nowhere.invalid"}, "RAGBASE_VERTEX_URL"),
        ({"RAGBASE_RERANKER": "jina"}, "RAGBASE_RERANKER_API_KEY"),
        ({"RAGBASE_VECTOR_STORE": "qdrant", "QDRANT_URL": ""}, "QDRANT_URL"),
        ({"RAGBASE_VECTOR_STORE": "qdrant", "QDRANT_URL": "nothing"}, "QDRANT_URL"),
    ],
)
def test_what_cannot_be_right_is_named(wrong: dict[str, str], named: str, stopped: Stop) -> None:
    assert named in stopped("api", settings(**wrong))


def test_an_address_of_something_else_is_named(stopped: Stop) -> None:
    with cohere_server() as server:
        assert "weaviate_url" in stopped("api", settings(WEAVIATE_URL=server.url))


@pytest.mark.prove
def test_a_key_that_weaviate_refuses_is_named(weaviate: WeaviateServer, stopped: Stop) -> None:
    assert "weaviate_api_key" in stopped("fast_lane", of(weaviate, WEAVIATE_API_KEY="another"))


@pytest.mark.prove
@pytest.mark.parametrize("name", ["fast_lane", "api"])
def test_an_empty_weaviate_is_a_new_environment(name: str, store: WeaviateServer, start: Start) -> None:
    assert not any(action.startswith("start.") for action in start(name, of(store)))


@pytest.mark.prove
def test_a_question_in_a_new_environment_begins_nothing(store: WeaviateServer, tmp_path: Path) -> None:
    question = Recorded({"Content-Type": "application/json"}, {"query": "Where is the key?"})
    with cohere_server() as cohere:
        behind_iam = of(store, CO_API_URL=cohere.url, RAGBASE_SIGN_IN="iam", FIRESTORE_EMULATOR_HOST=shared_firestore())
        with serve("api", behind_iam, tmp_path / "log") as api:
            answer = api.post(question, "/api/query")
    assert answer.status == 200
    assert answer.json == {"results": [], "warnings": ["No document is indexed yet."]}
    assert store.request("GET", "aliases")["aliases"] == []  # the lanes begin the index, with the first document


@pytest.mark.prove
def test_an_api_that_nobody_has_told_anything_wants_a_token(store: WeaviateServer, tmp_path: Path) -> None:
    question = Recorded({"Content-Type": "application/json"}, {"query": "Where is the key?"})
    with serve("api", of(store, FIRESTORE_EMULATOR_HOST=shared_firestore()), tmp_path / "log") as api:
        assert api.post(question, "/api/query").status == 401


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"RAGBASE_SIGN_IN": "local"}, "sign_in"),
        ({"RAGBASE_SIGN_IN": "nobody"}, "sign_in"),
        ({"RAGBASE_PASSWORD_HASH": "the-password"}, "password_hash"),
    ],
)
def test_a_wrong_setting_of_sign_in_is_named_and_no_secret_is_shown(
    wrong: dict[str, str], named: str, stopped: Stop
) -> None:
    line = stopped("api", settings(**wrong))
    assert named in line
    assert "the-password" not in line


@pytest.mark.prove
@pytest.mark.parametrize("name", ["fast_lane", "api"])
def test_an_index_of_another_dimension_is_named(name: str, store: WeaviateServer, stopped: Stop) -> None:
    fill(store)
    line = stopped(name, of(store, RAGBASE_EMBEDDING_DIMENSION="256"))
    assert "weaviate_alias" in line
    assert "256" in line
    assert "embedding_dimension" in line


@pytest.mark.prove
def test_an_alias_that_nobody_fills_is_named(store: WeaviateServer, start: Start, stopped: Stop) -> None:
    fill(store)
    misspelt = of(store, RAGBASE_WEAVIATE_ALIAS="Ragbsae")
    assert "weaviate_alias" in stopped("api", misspelt)
    logged = start("fast_lane", misspelt)  # a lane fills it: this is how another index begins
    assert not any(action.startswith("start.") for action in logged)


@pytest.mark.prove
@pytest.mark.parametrize("name", ["fast_lane", "api"])
def test_an_alias_that_was_taken_away_is_named(name: str, store: WeaviateServer, stopped: Stop) -> None:
    fill(store)
    store.request("DELETE", "aliases/Ragbase")
    assert "weaviate_alias" in stopped(name, of(store, RAGBASE_EMBEDDING_MODEL="embed-english-v3.0"))


@pytest.mark.parametrize("name", ["fast_lane", "api"])
def test_a_weaviate_that_is_away_stops_nobody(name: str, start: Start) -> None:
    assert "start.index_away" in start(name, settings())


@pytest.mark.prove
def test_a_profile_that_is_closed_has_let_go_of_the_index(
    store: WeaviateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", shared_firestore())  # a question leaves an entry in the audit log
    before = set(threading.enumerate())
    with cohere_server() as cohere:
        profile = open_profile(load_config(environment=of(store, CO_API_URL=cohere.url)))
        assert search(Question("Where is the key?", 5, 0.5), profile) == []
        profile.close()
        profile.close()
    left = set(threading.enumerate()) - before
    assert "weaviate" not in {thread.name for thread in left if thread.is_alive()}
