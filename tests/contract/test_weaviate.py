"""What the Weaviate store promises beyond its port: an index for each model behind an alias, and deadlines."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ragbase.adapters.weaviate import vector_store
from ragbase.adapters.weaviate.alias import alias_of
from ragbase.adapters.weaviate.connection import SEARCHES, WeaviateConnection
from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.adapters.weaviate.vector_store import WeaviateVectorStore
from ragbase.domain.errors import ConfigurationError, PermanentError, TransientError
from ragbase.domain.index import Index, index_of
from ragbase.ports import Hit, VectorStore
from ragbase.testing.chunks import DIMENSION, document, embedded, unit, vector_of
from scripts.local_cloud.weaviate import WeaviateServer, weaviate_server
from tests.shared_servers import fresh_alias, shared_weaviate

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

pytestmark = pytest.mark.slow

QUERY = unit(1)
INDEX = index_of("test", model="model", dimension=DIMENSION, language="english")
GRAPH = index_of("test", model="model", dimension=DIMENSION, language="english", has_graph=True)
OTHER = index_of("test", model="another model", dimension=DIMENSION, language="english")

Opened = Callable[..., WeaviateVectorStore]


@pytest.fixture
def server() -> WeaviateServer:
    return shared_weaviate()


@pytest.fixture
def alias(server: WeaviateServer) -> Iterator[str]:
    with fresh_alias(server) as alias:
        yield alias


@pytest.fixture
def opened(server: WeaviateServer, alias: str) -> Iterator[Opened]:
    """Opens a store on the alias, as another process would."""
    with ExitStack() as stores:

        def open_another(
            *, url: str = server.url, grpc_url: str = server.grpc_url, seconds: float = 20
        ) -> WeaviateVectorStore:
            if (url, grpc_url) == (server.url, server.grpc_url):
                indexes = WeaviateIndexes(url, grpc_url=grpc_url, alias=alias, model="model", query_seconds=seconds)
                stores.callback(indexes.close)
                return indexes.open(indexes.ensure(INDEX))
            connection = WeaviateConnection(url, grpc_url=grpc_url)
            stores.callback(connection.close)
            collection = alias_of(alias).collection(INDEX)
            return WeaviateVectorStore(
                connection,
                collection=collection,
                dimension=DIMENSION,
                query_seconds=seconds,
                write_seconds=seconds,
            )

        yield open_another


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Takes connections and never answers."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return int(unused.getsockname()[1])


def texts(store: VectorStore) -> set[str]:
    return {hit.chunk.text for hit in store.search(QUERY, [], 1000).hits}


# an index for each model, behind the alias


def test_stores_that_open_at_once_share_one_index(opened: Opened, server: WeaviateServer, alias: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        stores = list(threads.map(lambda _: opened(), range(4)))
        list(threads.map(lambda i: stores[i].write([embedded("a", i, text=str(i))]), range(len(stores))))
    assert all(texts(store) == {"0", "1", "2", "3"} for store in stores)
    names = [known["class"] for known in server.request("GET", "schema")["classes"]]
    assert [name for name in names if name.startswith(alias)] == [f"{alias}_{INDEX.name}"]


def test_what_was_written_is_there_for_the_next_process(opened: Opened) -> None:
    opened().write([embedded("a", text="kept")])
    assert texts(opened()) == {"kept"}


@pytest.fixture
def indexes(server: WeaviateServer, alias: str) -> Iterator[Callable[..., WeaviateIndexes]]:
    """Opens the indexes with a model among the settings, either to fill them or only to read."""
    with ExitStack() as stack:

        def open_another(model: str = INDEX.model, *, fills: bool = True) -> WeaviateIndexes:
            indexes = WeaviateIndexes(
                server.url, grpc_url=server.grpc_url, alias=alias, model=model, fills=fills, query_seconds=20
            )
            stack.callback(indexes.close)
            return indexes

        yield open_another


def test_an_alias_that_was_lost_is_not_replaced(
    indexes: Callable[..., WeaviateIndexes], server: WeaviateServer, alias: str
) -> None:
    indexes().ensure(INDEX)
    server.request("DELETE", f"aliases/{alias}")
    asking: list[Callable[[], object]] = [
        lambda: indexes(OTHER.model).current(),
        lambda: indexes(OTHER.model, fills=False).check(),
        lambda: indexes(OTHER.model).ensure(OTHER),
    ]
    for asked in asking:
        with pytest.raises(ConfigurationError, match=r"`weaviate_alias`.*is missing"):
            asked()


def test_an_alias_that_was_lost_comes_back_where_only_its_model_has_an_index(
    opened: Opened, indexes: Callable[..., WeaviateIndexes], server: WeaviateServer, alias: str
) -> None:
    opened().write([embedded("a", text="kept")])
    server.request("DELETE", f"aliases/{alias}")
    assert indexes(fills=False).current() == indexes(fills=False).check() == INDEX
    assert texts(opened()) == {"kept"}
    assert [known["class"] for known in server.request("GET", "aliases")["aliases"] if known["alias"] == alias] == [
        f"{alias}_{INDEX.name}"
    ]


def test_none_of_two_indexes_without_their_alias_is_chosen(
    indexes: Callable[..., WeaviateIndexes], server: WeaviateServer, alias: str
) -> None:
    one = indexes()
    one.open(one.ensure(INDEX)).write([embedded("a")])
    one.open(OTHER)
    server.request("DELETE", f"aliases/{alias}")
    with pytest.raises(ConfigurationError, match=r"`weaviate_alias`.*is missing"):
        indexes().current()


def test_a_collection_that_weaviate_made_for_a_late_write_is_made_properly(
    indexes: Callable[..., WeaviateIndexes], server: WeaviateServer, alias: str
) -> None:
    one = indexes()
    one.ensure(INDEX)
    server.request("POST", "schema", {"class": f"{alias}_{OTHER.name}"})
    assert list(one.all()) == [INDEX]
    one.open(OTHER).write([embedded("a", text="found")])
    assert texts(one.open(OTHER)) == {"found"}
    assert set(one.all()) == {INDEX, OTHER}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("url", "127.0.0.1:8080"),
        ("url", "http://"),
        ("url", "http://host:port"),
        ("grpc_url", "grpc://host"),
        ("alias", ""),
        ("alias", "no-dashes"),
        ("alias", "1st"),
    ],
)
def test_a_setting_that_cannot_be_right_is_named(setting: str, value: str) -> None:
    settings = {"url": "http://127.0.0.1:8080", "grpc_url": "", "alias": "ragbase", setting: value}
    with pytest.raises(ConfigurationError, match=f"`weaviate_{setting}`"):
        WeaviateIndexes(settings["url"], grpc_url=settings["grpc_url"], alias=settings["alias"], model="model")


@pytest.mark.parametrize("vector", [vector_of("x")[:-1], np.full(DIMENSION, np.nan, dtype=np.float32)])
def test_a_vector_that_does_not_fit_writes_nothing(opened: Opened, vector: Vector) -> None:
    store = opened()
    with pytest.raises((ConfigurationError, ValueError)):
        store.write([embedded("a"), embedded("a", 1, vector=vector)])
    assert texts(store) == set()


# more than one request carries


def test_a_document_larger_than_a_page_is_read_whole_and_in_order(opened: Opened) -> None:
    store = opened()
    generations, ordinals = (1_700_000_000_000_001, 1_700_000_000_000_002), range(900)
    for generation in generations:
        store.write(
            [embedded("a", ordinal, generation=generation, text=f"{generation} {ordinal}") for ordinal in ordinals]
        )
    for generation in generations:
        assert [one.chunk.ordinal for one in store.read("a", generation)] == list(ordinals)
    assert len(store.embeddings("a")) == len(generations) * len(ordinals)


def test_a_document_larger_than_weaviates_limit_is_searched_and_deleted_whole(opened: Opened) -> None:
    store = opened(seconds=120)  # many processes may share this machine
    count = 10_100
    store.write([*document("a", [f"word {i}" for i in range(count)]), embedded("b", text="word b")])
    candidates = store.search(QUERY, ["word"], 20_000)
    assert candidates.passages == candidates.frequency["word"] == count + 1
    assert candidates.exhausted  # no higher limit would bring more
    store.delete("a", generation=1)
    assert texts(store) == {"word b"}


def test_the_frequency_of_a_common_term_is_known_without_counting(opened: Opened) -> None:
    store = opened()
    texts = [f"all {'most ' * (i % 5)}{'half' if i % 2 else ''} {'x ' * (i % 7)}" for i in range(1000)]
    store.write(document("a", texts))
    frequency = store.search(QUERY, ["all", "most", "half", "none"], 5).frequency
    assert frequency == pytest.approx({"all": 1000, "most": 800, "half": 500, "none": 0}, rel=0.02)


def test_a_large_index_that_grows_is_counted_again(opened: Opened) -> None:
    store = opened()
    store.write(document("a", [f"old {number}" for number in range(1000)]))
    assert store.search(QUERY, ["new"], 5).frequency == {"new": 0}
    store.write(document("b", [f"new {number}" for number in range(50)]))
    found = store.search(QUERY, ["new"], 5)
    assert (found.passages, found.frequency) == (1050, {"new": 50})


# an index with a graph


def test_a_search_that_follows_the_graph_finds_what_one_that_compares_all_finds(
    server: WeaviateServer, alias: str
) -> None:
    chunks = document("a", [f"word {number}" for number in range(500)])
    found = {}
    for index in (INDEX, GRAPH):
        indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, alias=alias, model="model", query_seconds=20)
        try:
            store = indexes.open(index)
            if index.has_graph:
                _follow_the_graph(server, f"{alias}_{index.name}")
            store.write(chunks)
            store.write(document("b", [f"old {number}" for number in range(20)]))
            store.hide("b", generation=1)
            found[index] = {
                (question, hit.chunk.id): hit.cosine
                for question, one in enumerate(chunks[::10])
                for hit in store.search(one.vector, [], 10).hits
            }
            facts = store.search(QUERY, ["word", "7", "old"], 10)
            assert (facts.passages, facts.frequency) == (500, {"word": 500, "7": 1, "old": 0})
        finally:
            indexes.close()
    exact, followed = found[INDEX], found[GRAPH]
    both = exact.keys() & followed.keys()
    assert len(exact) == len(followed) == 500
    assert len(both) >= 0.98 * len(exact)
    assert [followed[one] for one in both] == pytest.approx([exact[one] for one in both])


def _follow_the_graph(server: WeaviateServer, collection: str) -> None:
    """However few chunks there are."""
    schema = server.request("GET", f"schema/{collection}")
    settings = schema["vectorConfig"]["default"]["vectorIndexConfig"]
    assert settings["rq"]["enabled"] and settings["rq"]["bits"] == 8
    settings["flatSearchCutoff"] = 0
    server.request("PUT", f"schema/{collection}", schema)


# what is written is durable


@pytest.mark.prove
@pytest.mark.parametrize("index", [INDEX, GRAPH], ids=["flat", "graph"])
def test_nothing_that_was_written_is_lost_when_the_server_is_killed(index: Index) -> None:
    texts = {f"word {i}" for i in range(50)}
    with weaviate_server() as server, ExitStack() as stores:

        def opened() -> WeaviateVectorStore:
            indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, model="model", query_seconds=20)
            stores.callback(indexes.close)
            return indexes.open(indexes.ensure(index))

        opened().write(document("a", sorted(texts)))
        server.kill()
        server.start()
        found = opened().search(QUERY, [], 1000)
        assert found.passages == len(texts)
        assert {hit.chunk.text for hit in found.hits} == texts


@pytest.mark.prove
def test_what_the_indexes_of_properties_have_lost_is_restored() -> None:
    """A server that is killed has written some of an object's entries, and not the others."""
    chunks = document("a", [f"word {number}" for number in range(5)])
    with weaviate_server() as server, ExitStack() as stores:

        def opened() -> WeaviateVectorStore:
            indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, model="model", query_seconds=20)
            stores.callback(indexes.close)
            return indexes.open(indexes.ensure(INDEX))

        def ordinals() -> list[int]:
            return [one.ordinal for one in opened().chunks("a", 1, first=0, limit=5)]

        opened().write(chunks)
        server.stop()
        for lost in ("generation", "ordinal"):
            (folder,) = (server.folder / "data").glob(f"*/*/lsm/property_{lost}")
            shutil.rmtree(folder)
        server.start()
        opened().write(chunks)
        assert ordinals() == []
        assert opened().held(["a"]) == {"a": {1: 5}}
        opened().restore(chunks)
        assert ordinals() == [0, 1, 2, 3, 4]


@pytest.mark.prove
@pytest.mark.parametrize(("index", "files"), [(INDEX, "lsm/vectors*"), (GRAPH, "*.hnsw.*")], ids=["flat", "graph"])
def test_what_the_index_has_lost_is_restored_and_never_missing(index: Index, files: str) -> None:
    """A server that was killed may have objects without their entries in the vector index, and ignores an object that
    is written again unchanged."""
    chunks = document("a", [f"word {number}" for number in range(5)])
    with weaviate_server() as server, ExitStack() as stores:

        def opened() -> WeaviateVectorStore:
            indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, model="model", query_seconds=20)
            stores.callback(indexes.close)
            return indexes.open(indexes.ensure(index))

        opened().write(chunks)
        server.stop()
        for lost in (server.folder / "data").glob(f"*/*/{files}"):
            shutil.rmtree(lost)
        server.start()
        store = opened()
        assert (len(store.read("a", 1)), store.held(["a"])) == (5, {})
        store.write(chunks)
        assert store.held(["a"]) == {}
        store.restore(chunks)
        assert store.held(["a"]) == {"a": {1: 5}}
        assert [one.vector.tolist() for one in store.read("a", 1)] == [one.vector.tolist() for one in chunks]


# deadlines


def test_a_server_that_never_answers_is_given_up_at_the_deadline(opened: Opened, silent_port: int) -> None:
    store = opened(url=f"http://127.0.0.1:{silent_port}", seconds=0.3)
    message = r"`weaviate_url`.*did not answer within 0\.3 s"
    with pytest.raises(TransientError, match=message):
        store.search(QUERY, ["word"], 5)
    with pytest.raises(TransientError, match=message):
        store.write([embedded("a")])


@pytest.mark.parametrize("port", ["silent_port", "closed_port"])
def test_grpc_that_is_down_is_given_up_at_the_deadline(
    opened: Opened, port: str, request: pytest.FixtureRequest
) -> None:
    opened()
    grpc_url = f"http://127.0.0.1:{request.getfixturevalue(port)}"
    store = opened(grpc_url=grpc_url, seconds=1)
    for call in (
        lambda: store.search(QUERY, ["word"], 5),
        lambda: store.write([embedded("a")]),
        lambda: store.read("a", 1),
        lambda: store.embeddings("a"),
        lambda: store.delete("a", generation=1),
    ):
        with pytest.raises(TransientError, match="Weaviate"):
            call()


def test_searches_beyond_what_weaviate_works_on_wait_and_are_given_up_unsent(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient, store = opened(), opened(seconds=1)
    patient.write(document("a", ["one", "two"]))
    store.search(QUERY, [], 1)  # connects
    sent, at_once = 0, 0
    nearest = vector_store._nearest

    async def never(*_: object) -> list[Hit]:
        nonlocal sent, at_once
        sent += 1
        at_once += 1
        try:
            await asyncio.Event().wait()
        finally:
            at_once -= 1
        raise AssertionError("nothing sets the event")

    with ThreadPoolExecutor(3 * SEARCHES) as threads:
        monkeypatch.setattr(vector_store, "_nearest", never)
        asked = [threads.submit(store.search, QUERY, [], 1) for _ in range(3 * SEARCHES)]
        errors = [one.exception() for one in asked]
        assert (sent, at_once) == (2 * SEARCHES, 0)  # two requests for each search
        assert all(isinstance(error, TransientError) and "within 1 s" in str(error) for error in errors)
        monkeypatch.setattr(vector_store, "_nearest", nearest)
        again = [threads.submit(patient.search, QUERY, [], 1) for _ in range(3 * SEARCHES)]
        assert all(len(one.result().hits) == 1 for one in again)


def test_a_refused_connection_is_a_passing_fault(opened: Opened, closed_port: int) -> None:
    with pytest.raises(TransientError, match="`weaviate_url`"):
        opened(url=f"http://127.0.0.1:{closed_port}").search(QUERY, [], 5)


def test_a_generation_that_weaviate_would_round_is_refused(opened: Opened) -> None:
    store = opened()
    with pytest.raises(PermanentError, match=str(2**53)):
        store.write([embedded("a", generation=2**53)])
    assert store.held(["a"]) == {}
