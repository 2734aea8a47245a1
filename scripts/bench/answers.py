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

import csv
import html
import itertools
import json
import statistics
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.bench.corpus import DATA, off_topic
from scripts.bench.harness import Bench, Figures, percentile, share, timed

if TYPE_CHECKING:
    from ragbase import GeneratedAnswer, RAGEngine

WORDS = 12
"""Of a question."""


def main() -> None:
    bench = Bench("answers", __doc__, data="a folder of Markdown files, which are the documents")
    bench.number("--questions", 1_000)
    bench.number("--rows", 50, "rows of questions with answers of our own")
    bench.add_argument("--embedder", choices=["hashing", "minilm"], default="minilm")
    options = bench.parse_args()
    own = [" ".join(text.split()[:WORDS]) for text in bench.paragraphs(options.data)]
    step = max(1, len(own) // options.questions)
    figures = measure(options.data, own[::step][: options.questions], options.embedder)
    by_rows = on_rows_of_questions(options.embedder, options.rows)
    for line in itertools.chain([figures], on_xquad(options.data, options.embedder), by_rows):
        bench.say({"embedder": options.embedder, **line})
    sys.exit(1 if figures["unequal"] else 0)


def measure(data: Path, questions: list[str], embedder: str) -> Figures:
    from ragbase import RAGEngine, load_config

    counts, seconds = Counter[str](), list[float]()
    with (
        tempfile.TemporaryDirectory() as folder,
        RAGEngine(load_config(home=Path(folder) / "home", embedder=embedder)) as engine,
    ):
        ingested = engine.ingest(sorted(data.rglob("*.md")))
        engine.generate(questions[0])  # loads what it needs
        texts = TextsOfDocuments(engine)
        for question in questions:
            took, answer = timed(engine.generate, question)
            seconds.append(took)
            counts.update(checked(answer, texts))
        refused = share(engine.generate(question).model is None for question in off_topic())
    return {
        "documents": ingested["ingested_count"],
        "chunks": ingested["chunk_count"],
        "answers": len(seconds),
        **{name: counts[name] for name in ("answered", "sentences", "supported", "citations", "unequal")},
        "off_topic_refused": refused,
        "p50_ms": percentile([1000 * one for one in seconds], 50),
        "p99_ms": percentile([1000 * one for one in seconds], 99),
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


Expected = Sequence[tuple[str, Sequence[str]]]
"""Questions, each with texts of which one has to be in the answer."""


def on_xquad(data: Path, embedder: str) -> Iterator[Figures]:
    """For each language. Each paragraph is a document."""
    for file in sorted((data / "xquad").glob("xquad.*.json")):
        articles = json.loads(file.read_text(encoding="utf-8"))["data"]
        paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
        documents = {f"{number}.md": paragraph["context"] for number, paragraph in enumerate(paragraphs)}
        asked = [
            (one["question"], [answer["text"] for answer in one["answers"]])
            for paragraph in paragraphs
            for one in paragraph["qas"]
        ]
        yield {"collection": file.stem, **_measured(documents, asked, embedder)}


def on_rows_of_questions(embedder: str, most: int) -> Iterator[Figures]:
    """The same rows in each form, asked in their own words and in others."""
    lines = (DATA / "faq.tsv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[:most]
    for name, written in _FORMS.items():
        pairs = [(row["question"], row["answer"]) for row in rows]
        for how in ("question", "asked in other words"):
            asked = [(row[how], [row["answer"]]) for row in rows]
            yield {"collection": name, "asked": how, **_measured({name: written(pairs)}, asked, embedder)}


def _measured(documents: Mapping[str, str], asked: Expected, embedder: str) -> Figures:
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as folder:
        for name, text in documents.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        with RAGEngine(load_config(environment={}, home=Path(folder) / "home", embedder=embedder)) as engine:
            engine.ingest(sorted(Path(folder) / name for name in documents))
            return _figures(engine, asked)


def _figures(engine: RAGEngine, asked: Expected) -> Figures:
    answers = [(engine.generate(question), expected) for question, expected in asked]
    given = [(answer, expected) for answer, expected in answers if answer.answered]
    said = [has_words(answer.text, expected) for answer, expected in given]
    return {
        "questions": len(answers),
        "said": round(sum(said) / len(answers), 3),
        "said_of_answered": share(said),
        "refused": share(not answer.answered for answer, _ in answers),
        "median_characters": statistics.median([len(answer.text) for answer, _ in given] or [0]),
        "median_sentences": statistics.median([len(answer.sentences) for answer, _ in given] or [0]),
    }


def has_words(text: str, expected: Sequence[str]) -> bool:
    """Whether one of these texts is in it, without a difference of case and blanks."""
    return any(_even(one) in _even(text) for one in expected)


def _even(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


_Pairs = Sequence[tuple[str, str]]


def _csv(pairs: _Pairs) -> str:
    return "".join(f'"{one}","{other}"\n' for one, other in [("question", "answer"), *pairs])


def _markdown_table(pairs: _Pairs) -> str:
    return "# Questions\n\n| Question | Answer |\n| --- | --- |\n" + "".join(f"| {q} | {a} |\n" for q, a in pairs)


def _html(pairs: _Pairs) -> str:
    """A list of definitions, then things that unfold."""
    half = len(pairs) // 2
    told = [(html.escape(question), html.escape(answer)) for question, answer in pairs]
    terms = "".join(f"<dt>{question}</dt><dd>{answer}</dd>\n" for question, answer in told[:half])
    folded = "".join(f"<details><summary>{q}</summary><p>{a}</p></details>\n" for q, a in told[half:])
    return f'<html><head><meta charset="utf-8"><title>Help</title></head><body><dl>{terms}</dl>{folded}</body></html>'


def _json(pairs: _Pairs) -> str:
    return json.dumps([{"question": question, "answer": answer} for question, answer in pairs], ensure_ascii=False)


_FORMS: Mapping[str, Callable[[_Pairs], str]] = {
    "faq.csv": _csv,
    "faq.md": _markdown_table,
    "faq.html": _html,
    "faq.json": _json,
}


if __name__ == "__main__":
    main()
