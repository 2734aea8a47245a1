"""Which chunks find more? Measure the chunker beside LangChain's splitter, on questions whose answers have a known
place.

Both cut the same Markdown files into at most 1,000 characters with at most 200 of overlap, and the same embedder
searches both. For each question, of its answer's characters: `recall_at_5` is the share that the five best chunks
hold, and `precision_at_5` the share of those chunks' characters that is the answer. Variants embed the headings in
front of the text or not, and the title of the front matter, too. Prints one line of JSON for each.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.bootstrap.open_profile import open_profile
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.config import load_config
from ragbase.domain.chunk import Passage
from ragbase.domain.extraction import Extraction
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.search_one_index import search_one_index
from scripts.bench.corpus import LANGUAGE, Collection, Index, index
from scripts.bench.machine import machine

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk

TOP = 5
SIZE, OVERLAP = 1000, 200
_QUESTIONS = Path(__file__).parent / "data" / "span_questions.tsv"

FRONT_MATTER_TITLE = re.compile(r"---\n(?:(?!---).*\n)*?title: *[\"']?(.+?)[\"']?\n")

Cut = Callable[[str, str], list[Passage]]
"""A file's name and text to passages."""


@dataclass(frozen=True)
class Question:
    """`start` to `end` is the paragraph of the file `name` that answers."""

    text: str
    name: str
    start: int
    end: int


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/chunks", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="has markdown/book and markdown/prometheus")
    parser.add_argument("--variant", choices=list(VARIANTS), action="append", help="only these; may be given again")
    options = parser.parse_args()
    files = {
        str(file.relative_to(options.data / "markdown")): file.read_text(encoding="utf-8")
        for folder in ("book", "prometheus")
        for file in sorted((options.data / "markdown" / folder).glob("*.md"))
    }
    if not files:
        parser.error(
            f"{options.data / 'markdown'} has no Markdown files. Name a folder that has book/ and prometheus/."
        )
    asked = list(questions(files))
    embedder = open_profile(load_config()).embedder
    for name in options.variant or VARIANTS:
        collection = Collection(name, {file: VARIANTS[name](file, text) for file, text in files.items()}, {})
        searched = index(collection, embedder)
        figures = measure(searched, asked, embedder)
        lengths = [len(passage.text) for passages in collection.documents.values() for passage in passages]
        facts = {
            "bench": "chunks",
            "variant": name,
            "embedder": embedder.model,
            "files": len(files),
            "questions": len(asked),
            "chunks": len(lengths),
            "mean_length": round(sum(lengths) / len(lengths)),
        }
        print(json.dumps(facts | figures | {"machine": machine()}), flush=True)


def questions(files: dict[str, str]) -> Iterable[Question]:
    """Each names the first words of the paragraph that answers it."""
    for line in _QUESTIONS.read_text(encoding="utf-8").splitlines():
        name, begin, question = line.split("\t")
        paragraph = re.search(r"\s+".join(map(re.escape, begin.split())) + r"(?:.+\n?)*", files[name])
        if paragraph is None:
            raise SystemExit(f"{name} has no paragraph that begins with {begin!r}. Correct {_QUESTIONS}.")
        yield Question(question, name, paragraph.start(), paragraph.start() + len(paragraph[0].rstrip()))


def measure(searched: Index, asked: Sequence[Question], embedder: Embedder) -> dict[str, float]:
    recalls, precisions, dense_recalls, dense_precisions = [], [], [], []
    for question in asked:
        found = search_one_index(
            question.text, chunks=searched.active, embedder=embedder, top_k=TOP, threshold=0.0, language=LANGUAGE
        )
        recall, precision = scored(question, [result.chunk for result in found])
        recalls.append(recall)
        precisions.append(precision)
        hits = searched.vectors.search(embedder.embed_query(question.text), [], TOP).hits
        recall, precision = scored(question, [hit.chunk for hit in hits])
        dense_recalls.append(recall)
        dense_precisions.append(precision)
    return {
        f"recall_at_{TOP}": _mean(recalls),
        f"precision_at_{TOP}": _mean(precisions),
        f"dense_recall_at_{TOP}": _mean(dense_recalls),
        f"dense_precision_at_{TOP}": _mean(dense_precisions),
    }


def scored(question: Question, chunks: Sequence[Chunk]) -> tuple[float, float]:
    """The share of the answer's characters that the chunks hold, and the share of their characters that is answer.

    What two chunks hold of it counts once.
    """
    id = document_id("bench", question.name)
    wanted = set(range(question.start, question.end))
    ours = [set(range(one.char_start, one.char_end)) for one in chunks if one.document_id == id]
    held = set().union(*ours) & wanted
    retrieved = sum(one.char_end - one.char_start for one in chunks)
    return len(held) / len(wanted), len(held) / retrieved if retrieved else 0.0


def ours(_: str, text: str) -> list[Passage]:
    return MarkdownChunker(SIZE, OVERLAP).split(Extraction(text))


def without_overlap(_: str, text: str) -> list[Passage]:
    return MarkdownChunker(SIZE, 0).split(Extraction(text))


def without_headings(name: str, text: str) -> list[Passage]:
    return [replace(passage, header_path=()) for passage in ours(name, text)]


def with_title(_: str, text: str) -> list[Passage]:
    """The title is that of the front matter. A file without one begins with a heading that says the same."""
    title = FRONT_MATTER_TITLE.match(text)
    above = (title[1],) if title else ()
    return [replace(passage, header_path=(*above, *passage.header_path)) for passage in ours(_, text)]


def langchain(_: str, text: str) -> list[Passage]:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP, add_start_index=True)
    found = [
        (document.page_content, document.metadata["start_index"]) for document in splitter.create_documents([text])
    ]
    return [Passage(content, start, start + len(content)) for content, start in found]


VARIANTS: dict[str, Cut] = {
    "headings": ours,
    "langchain": langchain,
    "no_headings": without_headings,
    "no_overlap": without_overlap,
    "title_and_headings": with_title,
}


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)


if __name__ == "__main__":
    main()
