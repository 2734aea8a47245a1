"""Which parts of a filter no document matches."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from ragbase.domain.condition import Condition
from ragbase.domain.document import IndexedGeneration, Status
from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.search_filter import SearchFilter
from ragbase.retrieval.unmatched import unmatched_parts
from ragbase.testing.document_store import MemoryDocumentStore
from tests.contract.test_document_store import document, put


@pytest.fixture
def store() -> MemoryDocumentStore:
    store = MemoryDocumentStore()
    for id, name, tag in (("a", "red/a.md", "night"), ("b", "blue/b.md", "day")):
        said = DocumentMetadata(title="Backups", tags=(tag,), date="2024-03-01", url="https://example.com/docs/b")
        active = IndexedGeneration(
            generation=1, chunk_count=1, md5="", fingerprint="md|1", text_length=9, metadata=said
        )
        put(store, replace(document(id), name=name, status=Status.COMPLETED, active=active))
    return store


def unmatched(store: MemoryDocumentStore, *, tenant: str | None = None, most: int = 100, **asked: object) -> list[str]:
    parts = unmatched_parts(SearchFilter(**asked), store, tenant=tenant, most=most)  # type: ignore[arg-type]
    return [f"{part.name}: {part.value}" for part in parts]


def test_each_part_is_judged_alone(store: MemoryDocumentStore) -> None:
    assert unmatched(store, tags=frozenset({"night", "day"})) == []  # no document has both, but each has one
    assert unmatched(store, tags=frozenset({"night", "nihgt"}), title="backups") == ["tags: nihgt"]
    assert unmatched(
        store,
        document_ids=frozenset({"x"}),
        path_prefixes=frozenset({"green", "/green"}),
        formats=frozenset({"pdf"}),
        title="Restore",
        url_prefix="https://example.com/dosc",
        date_from=date(2025, 1, 1),
        where=(Condition(key="weight", equals=3),),
    ) == [
        "document_ids: x",
        "path_prefixes: /green",
        "formats: pdf",
        "title: Restore",
        "url_prefix: https://example.com/dosc",
        "date: 2025-01-01..",
        "where: weight",
    ]


def test_a_tenant_learns_nothing_of_others(store: MemoryDocumentStore) -> None:
    assert unmatched(store, tenant="red", tags=frozenset({"day"})) == ["tags: day"]
    assert unmatched(store, tenant="blue", tags=frozenset({"day"})) == []


def test_nothing_is_said_of_more_documents_than_are_read(store: MemoryDocumentStore) -> None:
    assert unmatched(store, most=1, tags=frozenset({"nihgt"})) == []
    assert unmatched(MemoryDocumentStore(), tags=frozenset({"nihgt"})) == []
