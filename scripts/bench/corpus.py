"""The collections that the benches search, and how to index them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.calibration import FittedCalibration
from ragbase.domain.chunk import EmbeddedChunk, Passage, embedding_text
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.extraction import Extraction
from ragbase.domain.identity import document_id
from ragbase.domain.job import ProcessingConfig
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import Embedder
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.calibrate import sample
from ragbase.retrieval.calibration import known_calibration
from ragbase.retrieval.chance import chance_levels
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.text.terms import terms_of

LANGUAGE = "english"
_QUESTIONS = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Collection:
    """Each document's passages by its name, the questions by their ids, and the documents that answer each question."""

    name: str
    documents: Mapping[str, Sequence[Passage]]
    questions: Mapping[str, str]
    answers: Mapping[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Index:
    vectors: MemoryVectorStore
    active: ActiveChunks
    passages: int
    fitted: FittedCalibration
    """What is found out about it without labels at the end of an ingest."""


def parsed_with_data(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments of the command line, with `data`: a folder. Exits if it lacks the Cranfield collection."""
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="has cranfield/, the Cranfield collection in BEIR's format: corpus.jsonl, queries.jsonl, qrels.tsv",
    )
    options = parser.parse_args()
    folder: Path = options.data
    missing = [
        name for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv") if not (folder / "cranfield" / name).is_file()
    ]
    if missing:
        parser.error(
            f"{folder / 'cranfield'} lacks {', '.join(missing)}. Put the Cranfield collection there in BEIR's format "
            "(1,400 abstracts, 225 queries), or name another folder."
        )
    return options


def cranfield(data: Path) -> Collection:
    """Each abstract is one passage with its title and its text."""
    answers: dict[str, set[str]] = {}
    for line in (data / "cranfield" / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, _ = line.split("\t")
        answers.setdefault(question, set()).add(document)
    return Collection(
        "cranfield",
        {row["_id"]: [_whole(f"{row['title']}\n{row['text']}")] for row in _rows(data / "cranfield" / "corpus.jsonl")},
        {row["_id"]: row["text"] for row in _rows(data / "cranfield" / "queries.jsonl")},
        answers,
    )


def xquad(data: Path, language: str) -> Collection:
    """Each paragraph is a document. Its name begins with the number of its article."""
    documents: dict[str, Sequence[Passage]] = {}
    questions: dict[str, str] = {}
    answers: dict[str, set[str]] = {}
    articles = json.loads((data / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
    for number, article in enumerate(articles):
        for place, paragraph in enumerate(article["paragraphs"]):
            name = f"{number}/{place}"
            documents[name] = [_whole(paragraph["context"])]
            for asked in paragraph["qas"]:
                questions[asked["id"]] = asked["question"]
                answers[asked["id"]] = {name}
    return Collection(f"xquad.{language}", documents, questions, answers)


def articles(collection: Collection, *, even: bool) -> Collection:
    """Of a collection from `xquad`, every second article."""

    def is_kept(name: str) -> bool:
        return (int(name.partition("/")[0]) % 2 == 0) is even

    answers = {question: names for question, names in collection.answers.items() if all(map(is_kept, names))}
    return Collection(
        f"half of {collection.name}",
        {name: passages for name, passages in collection.documents.items() if is_kept(name)},
        {question: collection.questions[question] for question in answers},
        answers,
    )


def beside(collection: Collection, others: Sequence[Collection]) -> Collection:
    """The questions of one collection, and the documents of all."""
    documents = dict(collection.documents)
    for other in others:
        documents |= {f"{other.name}/{name}": passages for name, passages in other.documents.items()}
    name = " + ".join(one.name for one in (collection, *others))
    return Collection(name, documents, collection.questions, collection.answers)


def markdown(data: Path, folder: str, questions: str) -> Collection:
    """The Markdown files of a folder, split into passages like any document."""
    chunker = MarkdownChunker(1000, 200)
    files = sorted((data / "markdown" / folder).glob("*.md"))
    return Collection(
        folder,
        {file.name: chunker.split(Extraction(file.read_text(encoding="utf-8"))) for file in files},
        dict(_numbered_questions(questions)),
    )


def off_topic() -> list[str]:
    """Questions that no collection here can answer."""
    return [question for _, question in _numbered_questions("off_topic")]


def _numbered_questions(name: str) -> Iterator[tuple[str, str]]:
    lines = (_QUESTIONS / f"{name}_questions.txt").read_text(encoding="utf-8").splitlines()
    return ((str(number), line) for number, line in enumerate(lines, start=1))


def index(
    collection: Collection,
    embedder: Embedder,
    store: type[MemoryVectorStore] = MemoryVectorStore,
    fitted: FittedCalibration | None = None,
) -> Index:
    """`fitted` is what was found out about an index that is nearly the same; without it, this takes some seconds."""
    vectors, documents = store(), MemoryDocumentStore()
    passages = [(name, i, passage) for name, split in collection.documents.items() for i, passage in enumerate(split)]
    texts = [embedding_text(passage) for _, _, passage in passages]
    embeddings = [
        vector
        for start in range(0, len(texts), embedder.max_batch)
        for vector in embedder.embed_documents(texts[start : start + embedder.max_batch]).vectors
    ]
    vectors.write(
        [
            EmbeddedChunk(
                chunk_of(passage, document_id("bench", name), 1, i, "bench"), vector, " ".join(terms_of(text, LANGUAGE))
            )
            for (name, i, passage), text, vector in zip(passages, texts, embeddings, strict=True)
        ]
    )
    for name in collection.documents:
        record = record_of(name)
        documents.update(record.id, lambda _, record=record: record)  # type: ignore[misc]
    active = ActiveChunks(vectors, documents)
    return Index(vectors, active, len(passages), fitted or _fitted(vectors, active, embedder))


def _fitted(vectors: MemoryVectorStore, active: ActiveChunks, embedder: Embedder) -> FittedCalibration:
    texts = [embedding_text(one.chunk) for one in sample([vectors])]
    fitted = FittedCalibration(model=embedder.model, fitted_at=datetime.now(UTC), passages=len(texts))
    known = known_calibration(embedder.model)
    if known is None or not known.confidence.chance:
        return fitted
    levels = chance_levels(texts, partitions=[active], embedder=embedder, language=LANGUAGE)
    return replace(fitted, chance_levels=levels)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _whole(text: str) -> Passage:
    return Passage(text=text, char_start=0, char_end=len(text))


def record_of(name: str) -> Document:
    """The record of a COMPLETED document of one chunk, in generation 1."""
    now = datetime.now(UTC)
    return Document(
        id=document_id("bench", name),
        bucket="bench",
        name=name,
        generation=1,
        status=Status.COMPLETED,
        size=0,
        md5="",
        content_type="text/plain",
        format=None,
        lane=None,
        source=name,
        config=ProcessingConfig(),
        created_at=now,
        updated_at=now,
        active=IndexedGeneration(generation=1, chunk_count=1, md5="", fingerprint="", text_length=0),
    )
