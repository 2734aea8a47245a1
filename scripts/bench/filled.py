"""Documents that stand for those of a user: texts of many paragraphs, and data folders that are full of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.bench.harness import Figures

if TYPE_CHECKING:
    from ragbase import RAGEngine
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document

CHUNKS = 8
"""How many chunks a document of `fill_documents` has: about 8,000 characters."""


def varied(texts: Sequence[str]) -> Iterator[str]:
    """All paragraphs, then the same ones again with a number, so that no two texts are equal."""
    for round_ in itertools.count():
        for text in texts:
            yield text if round_ == 0 else f"{text}\nIssue {round_}"


def written(texts: Sequence[str], folder: Path, *, documents: int, paragraphs: int = 1) -> list[Path]:
    """Write so many Markdown files, each with so many paragraphs. No two paragraphs are the same."""
    wanted = varied(texts)
    files = [folder / f"{number}.md" for number in range(documents)]
    for file in files:
        file.write_text("\n\n".join(itertools.islice(wanted, paragraphs)), encoding="utf-8")
    return files


def fill(engine: RAGEngine, texts: Sequence[str], documents: int, folder: Path) -> None:
    """Ingest so many documents of one paragraph."""
    folder.mkdir(exist_ok=True)
    engine.ingest(written(texts, folder, documents=documents))


def fill_at_random(engine: RAGEngine, texts: Sequence[str]) -> None:
    """Documents of 100 chunks with random vectors: only the time of a search matters then."""
    _fill(engine.profile, (texts[start : start + 100] for start in range(0, len(texts), 100)))


def fill_documents(home: str, documents: int, chunks_of_each: int = CHUNKS) -> Figures:
    """Fill a data folder with documents, in a process of its own."""
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config

    profile = open_profile(load_config(home=Path(home), embedder="hashing"))
    text = "A passage of a thousand characters or so, as long as most chunks are. " * 14
    _fill(profile, itertools.repeat([text] * chunks_of_each, documents))
    profile.close()
    return {}


def _fill(profile: Profile, documents: Iterable[Sequence[str]]) -> None:
    """Write an object, a record and chunks with random vectors for each, in the state in which the pipeline leaves
    them."""
    import numpy as np

    from ragbase.domain.chunk import EmbeddedChunk, Passage
    from ragbase.domain.document import IndexedGeneration, Status
    from ragbase.domain.object_event import EventKind
    from ragbase.pipeline.make_chunks import chunk_of
    from ragbase.pipeline.route import route
    from ragbase.text.terms import terms_of

    random, index = np.random.default_rng(1), profile.open_index()

    @cache
    def terms(text: str) -> str:
        return " ".join(terms_of(text))

    for number, texts in enumerate(documents):
        stored = profile.bucket.put(f"{number % 100:02}/{number:06}.md", b"text")
        record = route(stored.event(EventKind.FINALISED), profile)
        assert record is not None
        vectors = random.standard_normal((len(texts), index.embedder.dimension), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        passages = [Passage(text, 0, len(text)) for text in texts]
        index.vectors().write(
            [
                EmbeddedChunk(chunk_of(one, record.id, stored.generation, place, "bench"), vector, terms(one.text))
                for place, (one, vector) in enumerate(zip(passages, vectors, strict=True))
            ]
        )
        active = IndexedGeneration(
            generation=stored.generation,
            chunk_count=len(texts),
            md5=stored.md5,
            fingerprint="bench",
            text_length=sum(map(len, texts)),
            index_name=index.index.name,
        )

        def completed(known: Document | None, active: IndexedGeneration = active) -> Document | None:
            assert known is not None
            return replace(known, status=Status.COMPLETED, active=active)

        profile.documents.update(record.id, completed)
