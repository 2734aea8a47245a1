"""A filtered search finds what a search of the matching documents alone would find, in every vector store."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from random import Random

import pytest

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.domain.condition import Condition
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.identity import document_id
from ragbase.domain.index import Index, index_of
from ragbase.domain.labels import labels_of
from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.domain.reach import Reach
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.tenant import Tenancy
from ragbase.ports import Candidates, DocumentStore, Hit, VectorStore
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.bm25 import bm25, inverse_frequency
from ragbase.testing.chunks import DIMENSION, embedded, vector_of
from ragbase.testing.document_store import MemoryDocumentStore
from tests.contract.indexes import INDEXES
from tests.contract.real_servers import in_prove
from tests.contract.vector_stores import INDEX, VECTOR_STORES
from tests.plain_document import plain_document
from tests.shared_servers import fresh_alias, shared_weaviate

WORDS = ["red", "green", "blue", "pump", "valve"]
ALL = 1_000

FILTERS = [
    SearchFilter(path_prefixes=frozenset({"guides"})),
    SearchFilter(path_prefixes=frozenset({"guides/deep/"})),
    SearchFilter(path_prefixes=frozenset({"guides/0.md"})),
    SearchFilter(formats=frozenset({"html", "pdf"})),
    SearchFilter(tags=frozenset({"Ops"})),
    SearchFilter(tags=frozenset({"ops", "news"})),
    SearchFilter(title="THE ÜBERSICHT"),
    SearchFilter(url_prefix="https://example.com/docs"),
    SearchFilter(date_from=date(2024, 3, 1)),
    SearchFilter(date_to=date(2024, 3, 1)),
    SearchFilter(date_from=date(2024, 1, 31), date_to=date(2025, 1, 1), formats=frozenset({"md"})),
    SearchFilter(path_prefixes=frozenset({"guides"}), tags=frozenset({"ops"}), formats=frozenset({"md", "html"})),
    SearchFilter(document_ids=frozenset({document_id("bucket", "guides/0.md"), "unknown"})),
    SearchFilter(path_prefixes=frozenset({"guides/deep", "notes"})),
    SearchFilter(path_prefixes=frozenset({"nowhere"})),
    SearchFilter(where=(Condition(key="Author", equals="ann"),)),
    SearchFilter(where=(Condition(key="weight", equals=3),)),
    SearchFilter(where=(Condition(key="weight", at_least=-2.5, at_most=1_000),)),
    SearchFilter(where=(Condition(key="weight", at_most=0),), formats=frozenset({"md", "txt"})),
    SearchFilter(where=(Condition(key="updated", at_least=date(2024, 2, 29)),)),
    SearchFilter(where=(Condition(key="updated", equals="2024-02-29"), Condition(key="author", equals="Bob"))),
    SearchFilter(where=(Condition(key="unknown", at_least=0),)),
]


@dataclass(frozen=True)
class World:
    vectors: VectorStore
    documents: DocumentStore

    def add(
        self,
        name: str,
        texts: Sequence[str],
        *,
        labelled: bool = True,
        format: str = "md",
        metadata: DocumentMetadata = NO_METADATA,
    ) -> Document:
        """A document that search shows, with one chunk for each text."""
        record = _record(name, len(texts), format, metadata)
        assert record.active is not None
        labels = labels_of(name, record.active.format, record.metadata) if labelled else None
        self.vectors.write([embedded(record.id, i, text=text, labels=labels) for i, text in enumerate(texts)])
        self.documents.update(record.id, lambda _: record)
        return record

    def search(self, question: str, within: SearchFilter | None, *, wanted: int = ALL) -> Candidates:
        """What of the active chunks is found."""
        chunks = ActiveChunks(self.vectors, self.documents)
        return chunks.search(vector_of(question), question.split(), wanted=wanted, within=within).candidates


def _record(name: str, chunks: int, format: str, metadata: DocumentMetadata) -> Document:
    return plain_document(
        name,
        status=Status.COMPLETED,
        format=format,
        active=IndexedGeneration(
            generation=1,
            chunk_count=chunks,
            md5="",
            fingerprint=f"{format}|1|settings",
            text_length=1,
            metadata=metadata,
        ),
    )


@contextmanager
def _sqlite() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "ragbase.db")
        try:
            yield World(SqliteVectorStore(database, DIMENSION, "model"), SqliteDocumentStore(database))
        finally:
            database.close()


@contextmanager
def _other(adapter: str) -> Iterator[World]:
    with VECTOR_STORES[adapter]() as store:
        yield World(store, MemoryDocumentStore())


@pytest.fixture(params=in_prove(VECTOR_STORES))
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    with _sqlite() if request.param == "sqlite" else _other(request.param) as world:
        yield world


Tenants = Callable[[Index, str], World]
"""Gives the world of one tenant in an index that is split. All have their records in one store."""


@contextmanager
def _sqlite_tenants() -> Iterator[Tenants]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "ragbase.db")
        indexes, documents = SqliteIndexes(database), SqliteDocumentStore(database)
        try:
            yield lambda index, tenant: World(indexes.open(index, tenant), documents)
        finally:
            database.close()


@contextmanager
def _other_tenants(adapter: str) -> Iterator[Tenants]:
    with INDEXES[adapter]() as opened:
        indexes, documents = opened(), MemoryDocumentStore()
        yield lambda index, tenant: World(indexes.open(index, tenant), documents)


@pytest.fixture(params=in_prove(INDEXES))
def tenants(request: pytest.FixtureRequest) -> Iterator[Tenants]:
    with _sqlite_tenants() if request.param == "sqlite" else _other_tenants(request.param) as tenants:
        yield tenants


def _split(name: str) -> Index:
    return index_of(name, model="model-8", dimension=DIMENSION, language="english", tenancy=Tenancy.FOLDER)


def library(
    world: World, seed: int, *, folder: str = "", labelled: Callable[[], bool] = lambda: True
) -> list[Document]:
    """Documents with all kinds of facts, and texts of few words. Their names begin with `folder`."""
    random = Random(seed)
    numbers = itertools.count()

    def text() -> str:
        return f"{' '.join(random.choices(WORDS, k=random.randint(1, 6)))} {next(numbers)}"

    documents = []
    for i in range(40):
        subfolder = random.choice(["guides", "guides/deep", "guides-2", "notes/guides"])
        metadata = DocumentMetadata(
            title=random.choice([None, "The Übersicht", "Another title"]),
            tags=tuple(random.sample(["ops", "News", "draft"], k=random.randint(0, 3))),
            date=random.choice([None, "2024", "2024-03", "2024-03-01T10:00:00Z", "2025-01-01", "last spring"]),
            url=random.choice([None, "https://example.com/docs/a", "https://example.com/docs-2/a", "http://other.org"]),
        )
        metadata = replace(metadata, front_matter=tuple(front_matter(random)))
        format = random.choice(["md", "html", "txt"])
        name = folder + (f"{subfolder}/{i}.md" if i else "guides/0.md")
        texts = [text() for _ in range(random.randint(1, 3))]
        documents.append(world.add(name, texts, labelled=labelled(), format=format, metadata=metadata))
    return documents


def front_matter(random: Random) -> Iterator[tuple[str, str]]:
    for author in random.sample(["Ann", "Bob"], k=random.randint(0, 2)):
        yield "author", author
    for weight in random.sample(["3", "3.0", "-7", "1e3", "1000.5", "heavy"], k=random.randint(0, 2)):
        yield "weight", weight
    yield "updated", random.choice(["2024-02-28", "2024-02-29", "2024-02-29T10:00:00Z", "2025-01", "20240301"])


def found(candidates: Candidates) -> set[str]:
    return {hit.chunk.id for hit in candidates.hits}


def test_a_filtered_search_finds_every_chunk_of_the_documents_that_match_and_no_other(world: World) -> None:
    documents = library(world, seed=1)
    everything = world.search("red pump", None)
    for within in FILTERS:
        matching = {document.id for document in documents if within.matches(document)}
        expected = {hit.chunk.id for hit in everything.hits if hit.chunk.document_id in matching}
        assert found(world.search("red pump", within)) == expected, within
    assert sum(bool(found(world.search("red pump", within))) for within in FILTERS) == len(FILTERS) - 2


def test_the_best_chunks_are_chosen_among_those_that_match(world: World) -> None:
    documents = library(world, seed=2)
    vector, terms = vector_of("red pump"), ["red", "pump"]
    everything = world.vectors.search(vector, terms, ALL)

    def relevance(hit: Hit) -> float:
        words = hit.terms.split()
        return sum(
            inverse_frequency(everything.passages, everything.frequency[term])
            * bm25(words.count(term), len(words), everything.average_length)
            for term in terms
            if term in words
        )

    for within in FILTERS:
        matching = {document.id for document in documents if within.matches(document)}
        left = [hit for hit in everything.hits if hit.chunk.document_id in matching]
        candidates = world.vectors.search(vector, terms, 3, within=within)
        for score in (relevance, lambda hit: hit.cosine):
            best = sorted(map(score, left), reverse=True)[:3]
            assert sorted(map(score, candidates.hits), reverse=True)[:3] == pytest.approx(best, abs=1e-5)
        assert {hit.chunk.document_id for hit in candidates.hits} <= matching
        assert candidates.exhausted or len(left) > 3


def test_a_chunk_has_the_same_score_with_and_without_a_filter(world: World) -> None:
    library(world, seed=3)
    vector, terms = vector_of("red pump"), ["red", "pump", "unknown"]
    open_search = world.vectors.search(vector, terms, ALL)
    cosines = {hit.chunk.id: hit.cosine for hit in open_search.hits}
    for within in FILTERS:
        filtered = world.vectors.search(vector, terms, ALL, within=within, nearest=5)
        facts = replace(filtered, hits=[], exhausted=True, nearest=())
        assert facts == replace(open_search, hits=[], exhausted=True, nearest=())
        for hit in filtered.hits:
            assert hit.cosine == pytest.approx(cosines[hit.chunk.id], abs=1e-6)
        near = sorted((hit.cosine for hit in filtered.nearest), reverse=True)
        assert near == pytest.approx(sorted(cosines.values(), reverse=True)[:5], abs=1e-6), within


def test_a_tenant_s_filtered_search_finds_what_it_would_find_alone(tenants: Tenants) -> None:
    shared, own = _split("of all tenants"), _split("of one tenant")
    mine, theirs, alone = tenants(shared, "mine"), tenants(shared, "theirs"), tenants(own, "mine")
    library(theirs, seed=5, folder="theirs/")
    documents = library(mine, seed=7, folder="mine/")
    others = library(theirs, seed=6, folder="theirs/other/")
    library(alone, seed=7, folder="mine/")
    shown = 0
    for general in FILTERS:
        prefixes = frozenset(f"mine/{prefix}" for prefix in general.path_prefixes)
        within = replace(general, path_prefixes=prefixes, document_ids=frozenset())
        candidates = mine.search("red pump", within)
        assert candidates == alone.search("red pump", within), within
        expected = {document.id for document in documents if within.matches(document)}
        assert {hit.chunk.document_id for hit in candidates.hits} == expected, within
        shown += bool(expected)
    assert shown > len(FILTERS) / 2
    for nobody_s in (
        SearchFilter(document_ids=frozenset(document.id for document in others)),
        SearchFilter(path_prefixes=frozenset({"theirs"})),
    ):
        assert found(mine.search("red pump", nobody_s)) == set()
        assert found(theirs.search("red pump", nobody_s)) != set()


def _whole(name: str) -> Index:
    return index_of(name, model="model-8", dimension=DIMENSION, language="english")


def test_a_search_within_reach_finds_and_counts_what_it_would_if_nothing_else_were_there(tenants: Tenants) -> None:
    shared, alone = tenants(_whole("with others"), ""), tenants(_whole("alone"), "")
    library(shared, seed=5, folder="theirs/")
    library(shared, seed=8, folder="mine-too/")
    documents = library(shared, seed=7, folder="mine/")
    library(alone, seed=7, folder="mine/")
    for reach in (Reach.of({"mine/"}), Reach.of({"mine/guides", "mine/notes", "mine/guides-2"})):
        within = SearchFilter(reach=reach)
        found, expected = (world.search("red pump", within) for world in (shared, alone))
        assert found == expected
        assert alone.search("red pump", None).frequency == found.frequency
        assert {hit.chunk.document_id for hit in found.hits} == {one.id for one in documents}
    deep = SearchFilter(reach=Reach.of({"mine/guides/deep"}), tags=frozenset({"ops"}))
    candidates = shared.search("red pump", deep)
    within_reach = [one for one in documents if one.name.startswith("mine/guides/deep/")]
    assert {hit.chunk.document_id for hit in candidates.hits} == {one.id for one in within_reach if deep.matches(one)}
    assert {hit.chunk.document_id for hit in candidates.nearest} <= {one.id for one in within_reach}
    assert candidates.passages == sum(one.active.chunk_count for one in within_reach if one.active is not None)
    assert not shared.search("red pump", SearchFilter(reach=Reach.of({"mine/nowhere"}))).passages


def test_chunks_without_labels_are_shown_to_nobody_who_may_not_see_their_documents(world: World) -> None:
    library(world, seed=4, folder="theirs/", labelled=lambda: False)
    mine = library(world, seed=9, folder="mine/", labelled=lambda: False)
    candidates = world.search("red pump", SearchFilter(reach=Reach.of({"mine"})), wanted=5)
    for hits in (candidates.hits, candidates.nearest):
        assert hits and {hit.chunk.document_id for hit in hits} <= {one.id for one in mine}


def test_a_small_share_of_a_large_index_is_found(world: World) -> None:
    best = [f"red pump number {i}" for i in range(400)]
    world.add("near/all.md", best)
    world.add("far/one.md", ["something else", "nothing of it"])
    hits = world.search("red pump number 7", SearchFilter(path_prefixes=frozenset({"far"})), wanted=5).hits
    assert {hit.chunk.text for hit in hits} == {"something else", "nothing of it"}


def test_chunks_without_labels_are_left_to_the_record(world: World) -> None:
    labelled = itertools.cycle([True, False])
    documents = library(world, seed=4, labelled=lambda: next(labelled))
    everything = world.search("red pump", None)
    for within in FILTERS:
        matching = {document.id for document in documents if within.matches(document)}
        expected = {hit.chunk.id for hit in everything.hits if hit.chunk.document_id in matching}
        assert found(world.search("red pump", within)) == expected, within


def test_chunks_without_labels_that_do_not_match_hide_nothing(world: World) -> None:
    for number in range(60):
        world.add(f"near/{number}.md", [f"red pump number {number} {i}" for i in range(10)], labelled=False)
    world.add("far/one.md", ["something else"], labelled=False)
    hits = world.search("red pump number 7", SearchFilter(path_prefixes=frozenset({"far"})), wanted=5).hits
    assert [hit.chunk.text for hit in hits] == ["something else"]


def test_the_record_decides_and_not_the_labels(world: World) -> None:
    document = world.add("a.md", ["red"], metadata=DocumentMetadata(tags=("old",)))
    assert document.active is not None
    newer = replace(document, active=replace(document.active, metadata=DocumentMetadata(tags=("new",))))
    world.documents.update(document.id, lambda _: newer)
    assert found(world.search("red", SearchFilter(tags=frozenset({"old"})))) == set()


def test_labels_stay_when_chunks_are_hidden_restored_or_read(world: World) -> None:
    document = world.add("guides/a.md", ["red", "green"])
    chunks = world.vectors.read(document.id, 1)
    world.vectors.restore(chunks)
    assert len(found(world.search("red", SearchFilter(path_prefixes=frozenset({"guides"}))))) == 2
    assert found(world.search("red", SearchFilter(path_prefixes=frozenset({"notes"})))) == set()
    world.vectors.hide(document.id, generation=1)
    assert found(world.search("red", SearchFilter(path_prefixes=frozenset({"guides"})))) == set()


@pytest.mark.parametrize("typed", ["Vertr\u00e4ge/", "Vertra\u0308ge"])
def test_a_folder_is_found_by_every_form_of_its_name(world: World, monkeypatch: pytest.MonkeyPatch, typed: str) -> None:
    """Also of a document that an older version has made: it kept the name as it came, and wrote labels of that."""
    world.add("Vertr\u00e4ge/new.md", ["red new"])
    world.add("Vertrage/other.md", ["red other"])
    with monkeypatch.context() as patches:
        for module in ("identity", "labels"):
            patches.setattr(f"ragbase.domain.{module}.nfc", lambda name: name)
        world.add("Vertra\u0308ge/old.md", ["red old"])
    for within in (SearchFilter(path_prefixes=frozenset({typed})), SearchFilter(reach=Reach.of({typed}))):
        assert {hit.chunk.text for hit in world.search("red", within).hits} == {"red new", "red old"}


@pytest.mark.prove
def test_a_collection_of_weaviate_from_before_the_labels_goes_on() -> None:
    import weaviate

    server = shared_weaviate()
    host, port = server.url.removeprefix("http://").split(":")
    _, grpc_port = server.grpc_url.removeprefix("http://").split(":")
    with (
        fresh_alias(server) as alias,
        closing(
            WeaviateIndexes(server.url, grpc_url=server.grpc_url, alias=alias, model=INDEX.model, query_seconds=20)
        ) as indexes,
        closing(weaviate.connect_to_local(host, int(port), int(grpc_port), skip_init_checks=True)) as client,
    ):
        old = World(indexes.open(INDEX), MemoryDocumentStore())
        (name,) = (name for name in client.collections.list_all() if name.startswith(f"{alias}_"))
        described = client.collections.export_config(name).to_dict()
        described["properties"] = [one for one in described["properties"] if one["name"] not in ("labels", "day")]
        client.collections.delete(name)
        client.collections.create_from_dict(described)
        old.add("guides/old.md", ["red old"], labelled=False)
        old.add("notes/old.md", ["red other"], labelled=False)

        world = replace(old, vectors=indexes.open(INDEX))
        world.add("guides/new.md", ["red new"], metadata=DocumentMetadata(date="2025-05-05"))
        world.add("notes/new.md", ["red newer"])
        for within in (SearchFilter(path_prefixes=frozenset({"guides"})), SearchFilter(date_from=date(2025, 1, 1))):
            candidates = world.vectors.search(vector_of("red"), ["red"], ALL, within=within)
            assert {hit.chunk.text for hit in candidates.hits} == {"red old", "red other", "red new"}
        guides = world.search("red", SearchFilter(path_prefixes=frozenset({"guides"})))
        assert {hit.chunk.text for hit in guides.hits} == {"red old", "red new"}
