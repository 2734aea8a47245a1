"""The doors for programs of others on the local cloud: five clients find what our own client finds, and OpenAI's and
Dify's shapes list, read, filter and delete as they do on a data folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import openai
import pytest
from hypothesis import HealthCheck, given
from mcp.client import Client as McpClient

from ragbase import Client
from ragbase.domain.limits import DEFAULT_SIMILARITY_THRESHOLD, DEFAULT_TOP_K
from ragbase.messages.api.query import SearchResultBody
from ragbase.testing.examples import share
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User
from scripts.typescript_package import build
from tests.clients.asked_server import DOCUMENTS, QUESTIONS, AskedServer, places, results
from tests.clients.node_programs import with_modules
from tests.clients.test_mcp_clients import asked_in_javascript, asked_in_python, over_http
from tests.clients.test_openai import asked_by_openai
from tests.functions import foreign_filters
from tests.functions.foreign_filters import Filter, Judge, has_to_be_refused, may_be_refused
from tests.functions.foreign_schemas import validated

pytestmark = pytest.mark.prove


@pytest.fixture(scope="module")
def server(cloud: LocalCloud, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedServer]:
    """The API of the cloud, which has no keys and lets everybody in, with the documents of the ten questions."""
    folder = tmp_path_factory.mktemp("clients")
    server = AskedServer(cloud.settings()["LOCAL_CLOUD_API"], "none", folder / "home", folder / "programs")
    with uploaded(server, {f"doors/{name}": text for name, text in DOCUMENTS.items()}):
        yield server


@pytest.fixture(scope="module")
def ours(server: AskedServer) -> Sequence[Sequence[SearchResultBody]]:
    """The passages of each question. Other tests' documents may be among them."""
    found = server.found()
    assert any(found)
    return found


@contextmanager
def uploaded(server: AskedServer, documents: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The ids of the documents, which are deleted at the end."""
    with Client(server.endpoint, server.key) as client:
        ids = {name: client.upload(text.encode(), path=name).id for name, text in documents.items()}
        states = [client.wait(id) for id in ids.values()]
        assert {one.status for one in states} == {"COMPLETED"}, states
        yield ids
        for id in ids.values():
            client.delete(id)


def openai_client(server: AskedServer) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.endpoint}/v1", api_key=server.key, max_retries=0)


def test_openai_finds_what_ours_finds(server: AskedServer, ours: Sequence[Sequence[SearchResultBody]]) -> None:
    assert asked_by_openai(server) == [*map(places, ours)]


def test_dify_finds_what_ours_finds(ours: Sequence[Sequence[SearchResultBody]], user: User) -> None:
    for question, expected in zip(QUESTIONS, ours, strict=True):
        setting = {"top_k": DEFAULT_TOP_K, "score_threshold": DEFAULT_SIMILARITY_THRESHOLD}
        body = {"knowledge_id": "ragbase", "query": question, "retrieval_setting": setting}
        answer = user.api.send("POST", "/retrieval", json.dumps(body).encode(), {"Content-Type": "application/json"})
        records = validated(answer.json, "dify", "records")["records"]
        found = [one["metadata"] for one in records]
        assert [f"{one['document_id']}:{one['char_start']}-{one['char_end']}" for one in found] == places(expected)
        assert [one["content"] for one in records] == [one.shown_text for one in expected]


def test_assistants_find_and_fetch_what_ours_finds(
    server: AskedServer, ours: Sequence[Sequence[SearchResultBody]]
) -> None:
    found = asked_in_python(server)
    assert [[one["id"] for one in results] for results in found] == [*map(places, ours)]

    async def fetch(id: str) -> Any:
        async with McpClient(over_http(f"{server.endpoint}/mcp", {})) as client:
            return (await client.call_tool("fetch", {"id": id})).structured_content

    best = ours[0][0]
    fetched = anyio.run(fetch, best.place_id)
    assert fetched["id"] == best.place_id and best.content in fetched["text"]


def test_assistants_in_javascript_find_what_ours_finds(
    server: AskedServer, ours: Sequence[Sequence[SearchResultBody]], tmp_path: Path
) -> None:
    said = asked_in_javascript(server, "http", tmp_path / "program")
    assert [[one["id"] for one in found["theirs"]] for found in said["found"]] == [*map(places, ours)]
    assert [results(found["ours"]) for found in said["found"]] == ours


def test_langchain_finds_what_ours_finds(server: AskedServer, ours: Sequence[Sequence[SearchResultBody]]) -> None:
    assert [[one["id"] for one in found] for found in server.asked_by("ask_langchain.py")] == [*map(places, ours)]


def test_the_client_for_node_finds_what_ours_finds(
    server: AskedServer, ours: Sequence[Sequence[SearchResultBody]], tmp_path: Path
) -> None:
    build(tmp_path / "modules" / "ragbase")
    program = with_modules("ask_client.mjs", tmp_path / "modules", tmp_path / "program")
    assert [results(found) for found in server.asked("node", program)] == ours


def test_a_document_is_waited_for_listed_read_and_deleted_by_openai(server: AskedServer) -> None:
    client, text = openai_client(server), "# Ferry\n\nThe ferry to Hel leaves at ten past six from the eastern pier.\n"
    with Client(server.endpoint, server.key) as own:
        id = own.upload(text.encode(), path="doors/ferry.md").id
    files = client.vector_stores.files
    assert files.poll(id, vector_store_id="ragbase", poll_interval_ms=100).status == "completed"
    store = client.vector_stores.retrieve("ragbase")
    listed = [one.id for one in files.list("ragbase", limit=10)]
    assert [one.id for one in client.vector_stores.list()] == ["ragbase"]
    assert listed[0] == id and len(listed) == len(set(listed)) == store.file_counts.total
    (part,) = files.content(id, vector_store_id="ragbase")
    (found,) = client.vector_stores.search(
        "ragbase",
        query=["When does the ferry to Hel leave?", "From which pier does the ferry leave?"],
        filters={"type": "eq", "key": "file_id", "value": id},
    )
    assert found.filename == "doors/ferry.md" and found.attributes is not None and part.text == text
    assert text[int(found.attributes["char_start"]) : int(found.attributes["char_end"])] == found.content[0].text
    assert files.delete(id, vector_store_id="ragbase").deleted
    assert not client.vector_stores.search("ragbase", query="When does the ferry to Hel leave?").data
    with pytest.raises(openai.NotFoundError):
        files.retrieve(id, vector_store_id="ragbase")


def test_filters_of_openai_are_heeded_or_refused(server: AskedServer) -> None:
    client = openai_client(server)
    with uploaded(server, {one.name: one.text for one in foreign_filters.DOCUMENTS}) as ids:
        judge = Judge(ids)

        @share(0.4, suppress_health_check=[HealthCheck.too_slow])
        @given(judge.filters())
        def check(filter: Filter) -> None:
            try:
                found = client.vector_stores.search(
                    "ragbase",
                    query=foreign_filters.QUESTION,
                    filters=filter,
                    max_num_results=50,
                    ranking_options={"score_threshold": 0},
                )
            except openai.BadRequestError:
                assert may_be_refused(filter)
            else:
                assert not has_to_be_refused(filter)
                names = {one.filename for one in found if one.filename.startswith(foreign_filters.FOLDER)}
                assert names == judge.found(filter)

        check()
