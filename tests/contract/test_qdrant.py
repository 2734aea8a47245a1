"""What the Qdrant store promises beyond its port: a collection holds the vectors of one model."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from qdrant_client import QdrantClient

from ragbase.adapters.qdrant.connection import QdrantConnection
from ragbase.adapters.qdrant.indexes import QdrantIndexes
from ragbase.adapters.qdrant.vector_store import QdrantVectorStore
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.domain.index import index_of
from ragbase.domain.labels import labels_of
from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.tenant import Tenancy
from ragbase.testing.chunks import DIMENSION, embedded, unit, vector_of
from tests.contract.strict_qdrant import StrictQdrant

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


INDEX = index_of("documents", model="model", dimension=DIMENSION, language="english")


def opened(client: QdrantClient) -> QdrantVectorStore:
    indexes = QdrantIndexes(client, alias="documents")
    return indexes.open(indexes.ensure(INDEX))


@pytest.fixture
def client() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


def test_what_was_written_is_there_for_the_next_process(tmp_path: Path) -> None:
    for write in (True, False):
        client = QdrantClient(path=str(tmp_path))
        store = opened(client)
        if write:
            store.write([embedded("a", text="kept")])
        assert [one.chunk.text for one in store.read("a", 1)] == ["kept"]
        client.close()


def test_an_alias_cannot_have_the_name_of_a_collection(client: QdrantClient) -> None:
    client.create_collection("documents", vectors_config={})
    with pytest.raises(ConfigurationError, match="`qdrant_collection`"):
        opened(client)


def test_collections_of_others_are_left_alone(client: QdrantClient) -> None:
    opened(client)
    client.create_collection("documents_of_somebody", vectors_config={})
    assert list(QdrantIndexes(client, alias="documents").all()) == [INDEX]


@pytest.mark.parametrize("vector", [vector_of("x")[:-1], np.full(DIMENSION, np.nan, dtype=np.float32)])
def test_a_vector_that_does_not_fit_writes_nothing(client: QdrantClient, vector: Vector) -> None:
    store = opened(client)
    with pytest.raises((ConfigurationError, ValueError)):
        store.write([embedded("a"), embedded("a", 1, vector=vector)])
    assert store.search(unit(1), [], 5).passages == 0


def test_a_document_larger_than_a_page_is_read_whole_and_in_order(client: QdrantClient) -> None:
    store = opened(client)
    chunks = [embedded("a", i, text=f"{i}") for i in range(750)]
    store.write(chunks)
    assert [one.chunk for one in store.read("a", 1)] == [one.chunk for one in chunks]
    assert len(store.embeddings("a")) == len(chunks)


def test_a_server_that_is_away_is_a_passing_fault() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    client = QdrantClient(url=f"http://127.0.0.1:{port}", timeout=2, check_compatibility=False)
    with pytest.raises(TransientError, match="`qdrant_url`"):
        QdrantIndexes(client, alias="documents").current()
    store = QdrantVectorStore(QdrantConnection(client), collection="documents", dimension=DIMENSION)
    with pytest.raises(TransientError, match="`qdrant_url`"):
        store.search(unit(1), ["word"], 5)
    client.close()


@pytest.mark.filterwarnings("ignore:Local mode performs exact")
@pytest.mark.parametrize("tenancy", Tenancy)
def test_every_field_that_a_filter_names_has_an_index(tenancy: Tenancy) -> None:
    """Qdrant Cloud refuses a filter over any other field, and so everything that uses it."""
    client = StrictQdrant()
    index = index_of("documents", model="model", dimension=DIMENSION, language="english", tenancy=tenancy)
    indexes = QdrantIndexes(client, alias="documents")
    store = indexes.open(indexes.ensure(index), "red" if index.is_split else "")
    labels = labels_of("red/a.md", "md", DocumentMetadata(tags=("ops",), date="2024-05-06"))
    store.write([embedded("a", i, text=f"red {i}", labels=labels) for i in range(3)] + [embedded("b", text="red")])

    within = SearchFilter(
        tags=frozenset({"ops"}),
        date_from=date(2024, 1, 1),
        document_ids=frozenset({"a", "b"}),
        refused=frozenset({"b"}),
    )
    assert len(store.search(vector_of("red"), ["red"], 9, without=["c"], within=within).hits) == 3
    assert len(store.chunks("a", 1, first=1, limit=2)) == 2
    assert len(store.read("a", 1)) == len(store.embeddings("a")) == 3
    assert (dict(store.held(["a"])["a"]), len(store.scan(limit=9))) == ({1: 3}, 4)
    store.hide("a", generation=1)
    assert store.search(vector_of("red"), ["red"], 9).passages == 1
    store.delete_chunks([store.read("b", 1)[0].chunk.id])
    store.delete("a", generation=1)
    assert indexes.tenants(index) == []
    if index.is_split:
        indexes.drop_tenant(index, "red")
    assert client.filtered <= client.indexed.keys()
    client.close()
