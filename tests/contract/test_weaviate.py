"""What the Weaviate store promises beyond its port: one index a model behind an alias, a deadline for every call."""

from __future__ import annotations

import itertools
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ragbase.adapters.weaviate import WeaviateVectorStore
from ragbase.adapters.weaviate_connection import collection_name
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.ports import VectorStore
from tests.contract.chunks import DIMENSION, document, embedded, unit, vector_of
from tests.servers.weaviate import WeaviateServer, shared_weaviate

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

QUERY = unit(1)
_numbers = itertools.count(1)

Opened = Callable[..., WeaviateVectorStore]


@pytest.fixture
def server() -> WeaviateServer:
    return shared_weaviate()


@pytest.fixture
def alias(server: WeaviateServer) -> Iterator[str]:
    name = f"Weaviate{next(_numbers)}"
    yield name
    server.drop(name)


@pytest.fixture
def opened(server: WeaviateServer, alias: str) -> Iterator[Opened]:
    """Opens a store on the alias, as another process would."""
    with ExitStack() as stores:

        def open_another(
            *,
            model: str = "model",
            dimension: int = DIMENSION,
            url: str = server.url,
            grpc_url: str = server.grpc_url,
            seconds: float = 20,
        ) -> WeaviateVectorStore:
            store = WeaviateVectorStore(
                url,
                grpc_url=grpc_url,
                alias=alias,
                model=model,
                dimension=dimension,
                query_seconds=seconds,
                write_seconds=seconds,
            )
            stores.callback(store.close)
            return store

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


# one index a model, behind the alias


def test_stores_that_open_at_once_share_one_index(opened: Opened, server: WeaviateServer, alias: str) -> None:
    stores = [opened() for _ in range(4)]
    with ThreadPoolExecutor(len(stores)) as threads:
        list(threads.map(lambda i: stores[i].write([embedded("a", i, text=str(i))]), range(len(stores))))
    assert all(texts(store) == {"0", "1", "2", "3"} for store in stores)
    names = [known["class"] for known in server.request("GET", "schema")["classes"]]
    assert [name for name in names if name.startswith(alias)] == [collection_name(alias, "model", DIMENSION)]


def test_what_was_written_is_there_for_the_next_process(opened: Opened) -> None:
    first = opened()
    first.write([embedded("a", text="kept")])
    first.close()
    assert texts(opened()) == {"kept"}


@pytest.mark.parametrize("other", [{"model": "another model"}, {"dimension": DIMENSION + 1}])
def test_an_alias_of_another_models_index_is_refused(opened: Opened, other: dict[str, object]) -> None:
    opened().connect()
    with pytest.raises(ConfigurationError, match=r"`weaviate_alias`.*set `embedder`"):
        opened(**other).connect()


def test_an_alias_that_was_lost_is_not_replaced(opened: Opened, server: WeaviateServer, alias: str) -> None:
    opened().connect()
    server.request("DELETE", f"aliases/{alias}")
    with pytest.raises(ConfigurationError, match=r"`weaviate_alias`.*is missing"):
        opened(model="another model").connect()


def test_an_alias_that_was_lost_comes_back_where_only_its_model_has_an_index(
    opened: Opened, server: WeaviateServer, alias: str
) -> None:
    opened().write([embedded("a", text="kept")])
    server.request("DELETE", f"aliases/{alias}")
    assert texts(opened()) == {"kept"}


def test_models_of_similar_names_have_collections_of_their_own() -> None:
    models = ["embed-v3.0", "embed_v3.0", "embed-v3", "embed v3 0"]
    assert len({collection_name("ragbase", model, 8) for model in models}) == len(models)


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
        WeaviateVectorStore(
            settings["url"],
            grpc_url=settings["grpc_url"],
            alias=settings["alias"],
            model="model",
            dimension=DIMENSION,
        )


@pytest.mark.parametrize("vector", [vector_of("x")[:-1], np.full(DIMENSION, np.nan, dtype=np.float32)])
def test_a_vector_that_does_not_fit_writes_nothing(opened: Opened, vector: Vector) -> None:
    store = opened()
    with pytest.raises((ConfigurationError, ValueError)):
        store.write([embedded("a"), embedded("a", 1, vector=vector)])
    assert texts(store) == set()


# more than one request carries


def test_a_document_larger_than_a_page_is_read_whole_and_in_order(opened: Opened) -> None:
    store = opened()
    generations, parts, ordinals = (1_700_000_000_000_001, 1_700_000_000_000_002), 3, 300
    for generation in generations:
        store.write(
            [
                embedded("a", ordinal, generation=generation, part=part, text=f"{generation} {part} {ordinal}")
                for part in range(parts)
                for ordinal in range(ordinals)
            ]
        )
    for generation in generations:
        read = [(one.chunk.part, one.chunk.ordinal) for one in store.read("a", generation)]
        assert read == [(part, ordinal) for part in range(parts) for ordinal in range(ordinals)]
    assert len(store.embeddings("a")) == len(generations) * parts * ordinals


@pytest.mark.slow
def test_a_document_larger_than_weaviates_limit_is_searched_and_deleted_whole(opened: Opened) -> None:
    store = opened()
    count = 10_100
    store.write([*document("a", [f"word {i}" for i in range(count)]), embedded("b", text="word b")])
    candidates = store.search(QUERY, ["word"], 20_000)
    assert candidates.passages == candidates.frequency["word"] == count + 1
    assert candidates.exhausted  # no higher limit would bring more
    store.delete("a", generation=1)
    assert texts(store) == {"word b"}


def test_the_frequency_of_a_common_term_is_told_without_counting(opened: Opened) -> None:
    store = opened()
    texts = [f"all {'most ' * (i % 5)}{'half' if i % 2 else ''} {'x ' * (i % 7)}" for i in range(1000)]
    store.write(document("a", texts))
    frequency = store.search(QUERY, ["all", "most", "half", "none"], 5).frequency
    assert frequency == pytest.approx({"all": 1000, "most": 800, "half": 500, "none": 0}, rel=0.02)


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
    opened().connect()
    grpc_url = f"http://127.0.0.1:{request.getfixturevalue(port)}"
    store = opened(grpc_url=grpc_url, seconds=1)
    for call in (
        lambda: store.search(QUERY, ["word"], 5),
        lambda: store.write([embedded("a")]),
        lambda: store.read("a", 1),
        lambda: store.embeddings("a"),
        lambda: store.delete("a", generation=1),
        lambda: store.delete_older("a", than=1),
    ):
        with pytest.raises(TransientError, match="Weaviate"):
            call()


def test_a_refused_connection_is_a_passing_fault(opened: Opened, closed_port: int) -> None:
    with pytest.raises(TransientError, match="`weaviate_url`"):
        opened(url=f"http://127.0.0.1:{closed_port}").search(QUERY, [], 5)
