"""Whether an answer says what was asked for: the questions of XQuAD, and rows of questions with their answers."""

from __future__ import annotations

import csv
import html
import json
import statistics
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase import RAGEngine

ROWS = Path(__file__).parent / "data" / "faq.tsv"

Figures = Mapping[str, str | float]
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


def on_rows_of_questions(embedder: str) -> Iterator[Figures]:
    """The same rows in each form, asked in their own words and in others."""
    rows = list(csv.DictReader(ROWS.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
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
    said = sum(has_words(answer.text, expected) for answer, expected in given)
    return {
        "questions": len(answers),
        "said": round(said / len(answers), 3),
        "said_of_answered": round(said / max(len(given), 1), 3),
        "refused": round(1 - len(given) / len(answers), 3),
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
