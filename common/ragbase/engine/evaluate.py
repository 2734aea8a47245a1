"""Measure how good the answers are: of a BEIR collection in a data folder of its own, or of the profile's index."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import BadDataset
from ragbase.domain.identity import document_id
from ragbase.domain.tenant import Tenancy
from ragbase.engine.identify import document_ids
from ragbase.engine.ingest import ingest
from ragbase.evaluation.beir import BeirCollection
from ragbase.evaluation.evaluate import EvaluatedSearch, MeasuredQuestion, evaluate
from ragbase.evaluation.evaluation_runs import EvaluationRuns, run_of
from ragbase.evaluation.golden_questions import GoldenQuestions, judged
from ragbase.evaluation.own_questions import read_questions
from ragbase.evaluation.question import Expected, FoundText, JudgedQuestion, plain
from ragbase.pipeline.named_records import current_records
from ragbase.ports import Bucket, DocumentStore, OpenIndex
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from ragbase.retrieval.search import search
from ragbase.retrieval.search_parts import search_parts
from ragbase.settings import Config
from ragbase.sources.folder import LocalFile, object_name

OnProgress = Callable[[str, int, int], object]
"""Called with what is done, how much of it, and how much there is."""
_SETTINGS = ("language", "chunk_size", "chunk_overlap", "chunk_unit", "top_k", "similarity_threshold")
"""Those that decide what is found."""


def dataset_name(file: Path | None) -> str:
    return str(file) if file is not None else "golden questions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A dataset asked with these settings. `model` is None if it is not known. `documents` were searched. `refused` of
    a BEIR corpus could not be made into documents; they count as not found. `ingest_seconds` is 0 for an index that was
    there."""

    dataset: str
    model: str | None
    settings: Mapping[str, str | int | float]
    threshold: float
    documents: int
    refused: int = 0
    ingest_seconds: float = 0.0
    questions: Sequence[MeasuredQuestion]


def evaluate_beir(
    collection: BeirCollection, config: Config, *, foreign: Sequence[JudgedQuestion] = (), on_progress: OnProgress
) -> Evaluation:
    """Ingest the corpus through the whole pipeline into a temporary data folder of the profile embedded, and ask all
    questions. The other settings are those of `config`. Raises BadDataset."""
    with tempfile.TemporaryDirectory(prefix="ragbase-eval-") as folder:
        home = Path(folder)
        own = config.model_copy(update={"home": home / "data", "profile": "embedded", "tenancy": Tenancy.NONE})
        with _opened(own) as profile:
            files = _write_corpus(collection, home / "corpus", profile.bucket, profile.bucket_folder)
            start = time.perf_counter()
            refused = _ingest([one.file for one in files.values()], profile, on_progress)
            seconds = time.perf_counter() - start
            questions = [*_questions(collection, files), *foreign]
            evaluation = _evaluated(str(collection.folder), questions, profile, on_progress)
    return replace(evaluation, documents=len(files) - refused, refused=refused, ingest_seconds=seconds)


def evaluate_index(
    file: Path | None, profile: Profile, *, foreign: Sequence[JudgedQuestion] = (), on_progress: OnProgress
) -> Evaluation:
    """Ask the profile's documents the questions of a CSV file, or its golden questions: their figures are kept. Raises
    BadDataset."""
    own = own_questions(file, profile)
    evaluation = _evaluated(dataset_name(file), [*own, *foreign], profile, on_progress)
    if file is None:
        _note(evaluation, profile.evaluation_runs, at=profile.clock.now(), top_k=profile.config.top_k)
    return evaluation


def own_questions(file: Path | None, profile: Profile) -> list[JudgedQuestion]:
    """The questions of a CSV file about the profile's documents, or without one its golden questions. Raises
    BadDataset."""
    if file is None:
        return _golden_questions(profile.golden_questions, profile.documents)
    documents, bucket, bucket_folder = profile.documents, profile.bucket, profile.bucket_folder

    def id_of(identifier: str) -> str | None:
        ids = document_ids(identifier, bucket, bucket_folder)
        records = documents.get_many(ids)
        return next((id for id in ids if id in records and not records[id].tombstone), None)

    return read_questions(file, id_of)


def _note(evaluation: Evaluation, runs: EvaluationRuns, *, at: datetime, top_k: int) -> None:
    run = run_of(evaluation.questions, at=at, model=evaluation.model, top_k=top_k, threshold=evaluation.threshold)
    if run is not None:
        runs.note(run)


def _golden_questions(golden_questions: GoldenQuestions, documents: DocumentStore) -> list[JudgedQuestion]:
    kept = golden_questions.all()
    records = current_records([one.document_id for one in kept], documents)
    there = {id: record.id for id, record in records.items() if not record.tombstone}
    return judged((one.question, there[one.document_id]) for one in kept if one.document_id in there)


def ask_index(index: OpenIndex, documents: DocumentStore, *, group_versions: bool) -> EvaluatedSearch:
    """Searches this index, current or not, for these documents."""
    asked = replace(index, embedder=RememberingEmbedder(index.embedder))

    def ask(question: str, *, top_k: int, threshold: float) -> Sequence[FoundText]:
        find = partial(
            search,
            current=lambda: asked,
            documents=documents,
            top_k=top_k,
            threshold=threshold,
            group_versions=group_versions,
        )
        results = search_parts(question, lambda text, _: find(text), top_k=top_k)
        return list(map(FoundText.of, results))

    return ask


def _evaluated(
    dataset: str, questions: Sequence[JudgedQuestion], profile: Profile, on_progress: OnProgress
) -> Evaluation:
    index = profile.current_index.get()
    if index is None:
        raise BadDataset("There is no index to ask yet. Add documents with: ragbase ingest PATH")
    config = profile.config
    profile.audit.asked([question.text for question in questions])  # each is searched for several times
    asked = evaluate(
        questions,
        ask_index(index, profile.documents, group_versions=config.versions == "group"),
        top_k=config.top_k,
        threshold=config.similarity_threshold,
        on_progress=lambda done: on_progress("questions", done, len(questions)),
    )
    return Evaluation(
        dataset=dataset,
        model=index.embedder.model,
        settings={name: getattr(config, name) for name in _SETTINGS},
        threshold=config.similarity_threshold,
        documents=profile.documents.count(),
        questions=asked,
    )


@contextmanager
def _opened(config: Config) -> Iterator[Profile]:
    profile = open_profile(config)
    try:
        profile.prepare()
        yield profile
    finally:
        profile.close()


@dataclass(frozen=True, slots=True)
class _CorpusFile:
    """A document of the corpus as a file, with the id that it gets here. `is_question` says that it is the question
    with its own id: it is no result of that question, as in BEIR's own evaluation."""

    file: LocalFile
    document_id: str
    is_question: bool


def _write_corpus(
    collection: BeirCollection, folder: Path, bucket: Bucket, bucket_folder: Path | None
) -> dict[str, _CorpusFile]:
    """A Markdown file for each document, by the corpus's id. Names are numbers: an id may be anything, and a name may
    count as a word of the document."""
    folder.mkdir()
    files: dict[str, _CorpusFile] = {}
    for number, document in enumerate(collection.documents(), start=1):
        if document.id in files:
            raise BadDataset(f"{collection.folder / 'corpus.jsonl'}: two documents have the id {document.id}.")
        path = folder / f"{number}.md"
        # JSON's strings are YAML's.
        title = f"---\ntitle: {json.dumps(document.title)}\n---\n\n" if document.title.strip() else ""
        path.write_text(f"{title}{document.text}\n", encoding="utf-8", errors="replace")
        files[document.id] = _CorpusFile(
            LocalFile(path, document.id),
            document_id(bucket.name, object_name(path, bucket_folder)),
            plain(collection.questions.get(document.id, "")) == plain(document.text),
        )
    return files


def _ingest(files: Sequence[LocalFile], profile: Profile, on_progress: OnProgress) -> int:
    """How many of the files could not be made into documents."""
    refused = 0
    for done, outcome in enumerate(ingest(files, profile), start=1):
        refused += outcome.error is not None
        on_progress("documents", done, len(files))
    return refused


def _questions(collection: BeirCollection, files: Mapping[str, _CorpusFile]) -> Iterator[JudgedQuestion]:
    for id, text in collection.questions.items():
        expected = tuple(
            # An answer that the corpus lacks counts as not found.
            Expected(document_id=files[one].document_id if one in files else f"missing: {one}", grade=grade)
            for one, grade in collection.grades[id].items()
        )
        itself = files.get(id)
        ignored = itself.document_id if itself is not None and itself.is_question else None
        yield JudgedQuestion(id=id, text=text, expected=expected, ignored=ignored)
