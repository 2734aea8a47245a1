"""Ask the same questions of 1,000 documents in every store: the results have to be the same, in the same order.

Prints one line of JSON: for each store how many answers differ from those of the memory store, of how many, without a
filter and with filters, for one tenant and for each of several. Passages with the same score may change places.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path

from qdrant_client import QdrantClient

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.adapters.embedded.indexes import SqliteIndexes
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.qdrant.indexes import QdrantIndexes
from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.domain.chunk import EmbeddedChunk, Passage
from ragbase.domain.condition import Condition
from ragbase.domain.document import Document
from ragbase.domain.index import index_of
from ragbase.domain.labels import labels_of
from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.search_filter import SearchFilter
from ragbase.domain.tenant import Tenancy
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import DocumentStore, Indexes
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.indexes import MemoryIndexes
from ragbase.testing.passages import document as whole_record
from ragbase.text.terms import terms_of
from scripts.bench.harness import Bench
from scripts.local_cloud.weaviate import weaviate_server

TENANTS = ("red", "green", "blue")
FILTERS = (
    None,
    SearchFilter(formats=frozenset({"html"})),
    SearchFilter(path_prefixes=frozenset({f"{tenant}/even" for tenant in TENANTS})),
    SearchFilter(where=(Condition(key="number", at_least=100, at_most=650),)),
    SearchFilter(where=(Condition(key="author", equals="ann"), Condition(key="day", at_least=date(2024, 1, 15)))),
)
EMBEDDER = HashingEmbedder()
INDEX = index_of("same", model=EMBEDDER.model, dimension=EMBEDDER.dimension, language="english", tenancy=Tenancy.FOLDER)
_TIE = 1e-3
"""Of equally near passages, each store takes others among the 30 nearest that the gate looks at."""
Answers = list[list[tuple[float, str]]]


def main() -> None:
    bench = Bench("same-results", __doc__, data="a folder of Markdown files, which give the texts")
    bench.number("--documents", 1_000)
    bench.number("--questions", 10)
    options = bench.parse_args()
    texts = list(dict.fromkeys(bench.paragraphs(options.data)))[: options.documents]
    with ExitStack() as stack:
        answers = {
            name: ask(indexes, documents, texts, options.questions)
            for name, (indexes, documents) in stores(stack).items()
        }
    expected = answers.pop("memory")
    different = {
        name: sum(not is_same(one, other) for one, other in zip(given, expected, strict=True))
        for name, given in answers.items()
    }
    shown = sum(map(bool, expected))
    bench.say({"documents": len(texts), "answers": len(expected), "with_results": shown, "different": different})


def stores(stack: ExitStack) -> dict[str, tuple[Indexes, DocumentStore]]:
    database = Database(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "ragbase.db")
    stack.callback(database.close)
    qdrant = QdrantClient(":memory:")
    stack.callback(qdrant.close)
    server = stack.enter_context(weaviate_server())
    weaviate = WeaviateIndexes(
        server.url, grpc_url=server.grpc_url, alias="Same", model=INDEX.model, query_seconds=60, write_seconds=120
    )
    stack.callback(server.drop, "Same")
    stack.callback(weaviate.close)
    return {
        "memory": (MemoryIndexes(), MemoryDocumentStore()),
        "embedded": (SqliteIndexes(database), SqliteDocumentStore(database)),
        "qdrant (local mode)": (QdrantIndexes(qdrant, alias="same"), MemoryDocumentStore()),
        "weaviate": (weaviate, MemoryDocumentStore()),
    }


def ask(indexes: Indexes, documents: DocumentStore, texts: Sequence[str], questions: int) -> Answers:
    """Fill the stores, and ask each tenant each question with each filter."""
    indexes.ensure(INDEX)
    vectors = EMBEDDER.embed_documents(texts).vectors
    for tenant_number, tenant in enumerate(TENANTS):
        chunks = []
        for number in range(tenant_number, len(texts), len(TENANTS)):
            record = record_of(tenant, number)
            documents.update(record.id, as_is(record))
            chunk = chunk_of(Passage(texts[number], 0, len(texts[number])), record.id, 1, 0, "bench")
            assert record.active is not None
            labels = labels_of(record.name, record.active.format, record.metadata)
            chunks.append(EmbeddedChunk(chunk, vectors[number], " ".join(terms_of(texts[number])), labels))
        indexes.open(INDEX, tenant).write(chunks)
    return [
        [(result.confidence, result.chunk.id) for result in found]
        for tenant in TENANTS
        for found in each_answer(
            ActiveChunks(indexes.open(INDEX, tenant), documents), texts[:: max(1, len(texts) // questions)]
        )
    ]


def each_answer(chunks: ActiveChunks, questions: Sequence[str]) -> Iterator[Sequence[SearchResult]]:
    for text in questions:
        for within in FILTERS:
            yield search_one_index(
                " ".join(text.split()[:8]),
                chunks=chunks,
                embedder=EMBEDDER,
                top_k=10,
                threshold=0.0,
                language=INDEX.language,
                within=within,
            )


def record_of(tenant: str, number: int) -> Document:
    name = f"{tenant}/{'odd' if number % 2 else 'even'}/{number}.md"
    said = (
        ("number", str(number)),
        ("author", "Ann" if number % 5 else "Bob"),
        ("day", f"2024-01-{number % 28 + 1:02}"),
    )
    record = whole_record(name)
    assert record.active is not None
    active = replace(
        record.active,
        fingerprint="html|bench" if number % 7 == 0 else "md|bench",
        index_name=INDEX.name,
        metadata=DocumentMetadata(front_matter=said),
    )
    return replace(record, active=active)


def as_is(record: Document) -> Callable[[Document | None], Document | None]:
    return lambda _: replace(record)


def is_same(one: Sequence[tuple[float, str]], other: Sequence[tuple[float, str]]) -> bool:
    """Whether both have the same scores in the same order, and the same passages but for ties with the last one, of
    which the cut may keep another."""
    scores_agree = [abs(mine - theirs) < _TIE for (mine, _), (theirs, _) in zip(one, other, strict=False)]
    above = [{id for score, id in answer if score > answer[-1][0] + _TIE} for answer in (one, other)]
    return len(one) == len(other) and all(scores_agree) and above[0] == above[1]


if __name__ == "__main__":
    main()
