"""Answer 1,000 questions from a folder of Markdown files, and compare every citation with the text of its document.

Prints one line of JSON for that; then one for each language of XQuAD, if the folder has `xquad/` with its files, and
one for each form of 50 questions with answers of our own. `said` is the share of the questions whose expected words are
in the answer, without a difference of case and blanks; more words would say more, so the length of the answers stands
beside. Times are in milliseconds and include the search and the embedding of the question. The
questions are the first words of paragraphs; `off_topic_refused` is the share of questions about other subjects that get
no answer. A citation is compared with the text that is extracted from the file in the bucket. Exits with 1 if one is
not equal to the text at its place.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.bench.corpus import off_topic
from scripts.bench.expected_answers import on_rows_of_questions, on_xquad
from scripts.bench.machine import machine
from scripts.bench.query import given_paragraphs, percentile

if TYPE_CHECKING:
    from ragbase import GeneratedAnswer, RAGEngine

WORDS = 12
"""Of a question."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/answers", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which are the documents")
    parser.add_argument("--questions", type=int, default=1_000)
    parser.add_argument("--embedder", choices=["hashing", "minilm"], default="minilm")
    options = parser.parse_args()
    texts = given_paragraphs(parser, options.data)
    own = [" ".join(text.split()[:WORDS]) for text in texts]
    step = max(1, len(own) // options.questions)
    figures = measure(options.data, own[::step][: options.questions], options.embedder)
    expected = itertools.chain(on_xquad(options.data, options.embedder), on_rows_of_questions(options.embedder))
    for line in itertools.chain([figures], expected):
        print(json.dumps({"bench": "answers", "embedder": options.embedder, **line, "machine": machine()}), flush=True)
    sys.exit(1 if figures["unequal"] else 0)


def measure(data: Path, questions: list[str], embedder: str) -> dict[str, float]:
    from ragbase import RAGEngine, load_config

    counts = Counter[str]()
    times: list[float] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        RAGEngine(load_config(home=Path(folder) / "home", embedder=embedder)) as engine,
    ):
        ingested = engine.ingest(sorted(data.rglob("*.md")))
        engine.generate(questions[0])  # loads what it needs
        texts = TextsOfDocuments(engine)
        for question in questions:
            began = time.perf_counter()
            answer = engine.generate(question)
            times.append((time.perf_counter() - began) * 1000)
            counts.update(checked(answer, texts))
        foreign = off_topic()
        refused = sum(engine.generate(question).model is None for question in foreign)
    return {
        "documents": ingested["ingested_count"],
        "chunks": ingested["chunk_count"],
        "answers": len(times),
        **{name: counts[name] for name in ("answered", "sentences", "supported", "citations", "unequal")},
        "off_topic_refused": round(refused / len(foreign), 3),
        "p50_ms": percentile(times, 50),
        "p99_ms": percentile(times, 99),
    }


class TextsOfDocuments:
    """The extracted text of each document, as the lanes read it from the bucket."""

    def __init__(self, engine: RAGEngine) -> None:
        self._profile = engine.profile
        self._known: dict[str, str] = {}

    def __getitem__(self, document_id: str) -> str:
        if document_id not in self._known:
            record = self._profile.documents.get(document_id)
            if record is None:
                raise LookupError(f"There is no record of {document_id}, which an answer cites.")
            data = self._profile.bucket.read(record.name, record.generation)
            self._known[document_id] = self._profile.extractor.extract(
                data, record.format or "", record.config
            ).markdown
        return self._known[document_id]


def checked(answer: GeneratedAnswer, texts: TextsOfDocuments) -> Counter[str]:
    """What the answer has, and how many of its citations and passages are not the text at their places."""
    citations = list(itertools.chain.from_iterable(sentence.citations for sentence in answer.sentences))
    unequal = sum(
        texts[one.document.id][one.char_start : one.char_end].encode() != one.text.encode() for one in citations
    )
    return Counter(
        answered=answer.answered,
        sentences=len(answer.sentences),
        supported=sum(sentence.supported for sentence in answer.sentences),
        citations=len(citations),
        unequal=unequal,
    )


if __name__ == "__main__":
    main()
