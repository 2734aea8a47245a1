"""The collections that the benches search, how to index and to search them, and how good what is found is."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Collection as Several
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.calibration import FittedCalibration
from ragbase.domain.chunk import EmbeddedChunk, Passage, embedding_text
from ragbase.domain.conversation import Standalone
from ragbase.domain.extraction import Extraction
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import Embedder
from ragbase.ports.embedder import in_calls
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.calibrate import sample
from ragbase.retrieval.calibration import known_calibration
from ragbase.retrieval.chance import chance_levels
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult, SearchResults
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from ragbase.text.terms import terms_of
from scripts.bench.harness import Bench
from scripts.bench.postings_store import PostingsStore

LANGUAGE = "english"
DATA = Path(__file__).parent / "data"
"""The questions of the benches."""
MARKDOWN = {"prometheus": "prometheus", "book": "rust"}
"""The folders of Markdown files, and the name of the questions on each."""
DEPTH, RECALL_DEPTH = 10, 5


@dataclass(frozen=True)
class Collection:
    """Each document's passages by its name, the questions by their ids, and the documents that answer each question."""

    name: str
    documents: Mapping[str, Sequence[Passage]]
    questions: Mapping[str, str]
    answers: Mapping[str, set[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Index:
    vectors: PostingsStore
    active: ActiveChunks
    passages: int
    fitted: FittedCalibration
    """What is found out about it without labels at the end of an ingest."""


class JudgedBench(Bench):
    """A bench on the Cranfield collection. Its arguments have `data`, a folder. Exits if that lacks the collection."""

    def __init__(self, name: str, about: str | None) -> None:
        parts = "corpus.jsonl, queries.jsonl, qrels.tsv"
        super().__init__(name, about, data=f"has cranfield/, the Cranfield collection in BEIR's format: {parts}")

    def parsed(self) -> argparse.Namespace:
        options = self.parse_args()
        folder = options.data / "cranfield"
        missing = [name for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv") if not (folder / name).is_file()]
        if missing:
            self.error(
                f"{folder} lacks {', '.join(missing)}. Put the Cranfield collection there in BEIR's format (1,400 "
                "abstracts, 225 queries), or name another folder."
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


def xquads(data: Path) -> Iterator[tuple[str, Collection]]:
    """Each language of XQuAD in the folder, and its collection."""
    for file in sorted((data / "xquad").glob("xquad.*.json")):
        language = file.suffixes[0][1:]
        yield language, xquad(data, language)


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


def markdown(data: Path, folder: str) -> Collection:
    """The Markdown files of a folder, split into passages like any document."""
    chunker = MarkdownChunker(1000, 200)
    files = sorted((data / "markdown" / folder).glob("*.md"))
    return Collection(
        folder,
        {file.name: chunker.split(Extraction(file.read_text(encoding="utf-8"))) for file in files},
        dict(_numbered_questions(MARKDOWN[folder])),
    )


def markdowns(data: Path) -> list[Collection]:
    return [markdown(data, folder) for folder in MARKDOWN if (data / "markdown" / folder).is_dir()]


def off_topic() -> list[str]:
    """Questions that no collection here can answer."""
    return [question for _, question in _numbered_questions("off_topic")]


def _numbered_questions(name: str) -> Iterator[tuple[str, str]]:
    lines = (DATA / f"{name}_questions.txt").read_text(encoding="utf-8").splitlines()
    return ((str(number), line) for number, line in enumerate(lines, start=1))


def rows(name: str) -> list[list[str]]:
    """The cells of a table in data/."""
    return [line.split("\t") for line in (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]


def index(collection: Collection, embedder: Embedder) -> Index:
    vectors, documents = PostingsStore(), MemoryDocumentStore()
    passages = [(name, i, passage) for name, split in collection.documents.items() for i, passage in enumerate(split)]
    texts = [embedding_text(passage) for _, _, passage in passages]
    embeddings = [vector for call in in_calls(texts, embedder) for vector in embedder.embed_documents(call).vectors]
    vectors.write(
        [
            EmbeddedChunk(chunk_of(passage, id_of(name), 1, i, "bench"), vector, " ".join(terms_of(text, LANGUAGE)))
            for (name, i, passage), text, vector in zip(passages, texts, embeddings, strict=True)
        ]
    )
    for name in collection.documents:
        record = document(name)
        documents.update(record.id, lambda _, record=record: record)  # type: ignore[misc]  # a default has no type
    active = ActiveChunks(vectors, documents)
    return Index(vectors, active, len(passages), _fitted(vectors, active, embedder))


def _fitted(vectors: PostingsStore, active: ActiveChunks, embedder: Embedder) -> FittedCalibration:
    texts = [embedding_text(one.chunk) for one in sample([vectors])]
    fitted = FittedCalibration(model=embedder.model, fitted_at=datetime.now(UTC), passages=len(texts))
    known = known_calibration(embedder.model)
    if known is None or not known.confidence.chance:
        return fitted
    levels = chance_levels(texts, partitions=[active], embedder=embedder, language=LANGUAGE)
    return replace(fitted, chance_levels=levels)


@dataclass(frozen=True)
class Search:
    """Asks an index as a user does, at the default threshold or without one."""

    searched: Index
    embedder: Embedder
    threshold: float

    def best(self, query: str) -> list[str]:
        """The ids of the documents that are found without a threshold."""
        return found_in(self.results(query, 0.0))

    def shown(self, query: str) -> list[str]:
        return found_in(self.results(query, self.threshold))

    def answered(self, questions: Several[str]) -> float:
        """The share of the questions that get any result."""
        return sum(bool(self.shown(question)) for question in questions) / len(questions)

    def results(self, query: str | Standalone, threshold: float, most: int = DEPTH) -> SearchResults:
        asked = Standalone(query) if isinstance(query, str) else query
        return search_one_index(
            asked.text,
            chunks=self.searched.active,
            embedder=self.embedder,
            top_k=most,
            threshold=threshold,
            language=LANGUAGE,
            fitted=self.searched.fitted,
            follow_up=asked.follow_up,
        )


def found_in(results: Sequence[SearchResult]) -> list[str]:
    return [source.document.id for result in results for source in result.sources]


Find = Callable[[str], Sequence[str]]
"""The ids of the documents that are found for a question, best first."""


def recall(collection: Collection, find: Find) -> float:
    """The share of the questions with one of their answers among the first five."""
    found = [
        not set(map(id_of, answers)).isdisjoint(find(collection.questions[question])[:RECALL_DEPTH])
        for question, answers in collection.answers.items()
    ]
    return sum(found) / len(found)


def ndcg(collection: Collection, find: Find) -> float:
    """The mean over all questions that have an answer. All answers are equally good."""
    values = []
    for question, answers in collection.answers.items():
        wanted = set(map(id_of, answers))
        found = find(collection.questions[question])[:DEPTH]
        gain = sum(1 / math.log2(place + 2) for place, id in enumerate(found) if id in wanted)
        values.append(gain / sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(wanted)))))
    return sum(values) / len(values)


@cache
def id_of(name: str) -> str:
    """Of a document of an index of the benches."""
    return document(name).id


def _rows(file: Path) -> Iterator[dict[str, str]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _whole(text: str) -> Passage:
    return Passage(text=text, char_start=0, char_end=len(text))
