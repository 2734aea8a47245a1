"""Is each part of a question of two parts found, or said to be missing? Prints a line of JSON.

Of 100 questions by hand, the documents have both parts, the first, the second or none: they are every second article of
XQuAD, in four languages, and the Markdown files. `right` is the share of the questions whose parts all have the right
status. The rule was tuned on English and Vietnamese; Spanish and Russian judge it.

Then every question of XQuAD, each of which asks for one thing, goes through the rule: `split` is the share that it
divides, and `recall_at_5` that of all of them, beside that of one search each.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_parts import search_parts
from ragbase.retrieval.search_result import SearchResults
from ragbase.text.question_parts import question_parts
from scripts.bench.corpus import LANGUAGE, Collection, Index, articles, beside, index, markdown, xquad
from scripts.bench.machine import machine

_QUESTIONS = Path(__file__).parent / "data" / "two_part_questions.tsv"
_TOP = 5
_HELD_OUT = ("es", "ru")


@dataclass(frozen=True)
class TwoParts:
    """A question, and for each part whether the documents have it."""

    collection: str
    covered: tuple[bool, ...]
    text: str


def two_part_questions() -> Iterator[TwoParts]:
    for line in _QUESTIONS.read_text(encoding="utf-8").splitlines():
        collection, covered, text = line.split("\t")
        yield TwoParts(collection, tuple(one == "1" for one in covered), text)


def status(question: str, found: SearchResults) -> tuple[bool, ...]:
    """Of each part; of a question that was not divided, the same for both."""
    return tuple(part.covered for part in found.parts) or (bool(found), bool(found))


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/question-parts", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="has xquad/ and markdown/")
    parser.add_argument("--wrong", action="store_true", help="list what is wrong, on standard error")
    options = parser.parse_args()
    config = load_config()
    embedder = open_profile(config).embedder
    whole = {name: xquad(options.data, name) for name in ("en", "es", "ru", "vi")}
    halves = {name: articles(one, even=True) for name, one in whole.items()}
    files = beside(markdown(options.data, "book", "rust"), [markdown(options.data, "prometheus", "prometheus")])
    asked = {name: _Asked(one, embedder, config.similarity_threshold) for name, one in halves.items()}
    asked["markdown"] = _Asked(files, embedder, config.similarity_threshold)
    right = _right(list(two_part_questions()), asked, wrong=options.wrong)
    single = {name: _single(one, _Asked(one, embedder, config.similarity_threshold)) for name, one in whole.items()}
    figures = {
        "bench": "question-parts",
        "embedder": embedder.model,
        "questions": sum(map(len, right.values())),
        "right": _share([one for some in right.values() for one in some]),
        "right_by_collection": {name: _share(some) for name, some in right.items()},
        "right_held_out": _share([one for name in _HELD_OUT for one in right[name]]),
        "single": single,
        "machine": machine(),
    }
    print(json.dumps(figures), flush=True)


class _Asked:
    def __init__(self, collection: Collection, embedder: Embedder, threshold: float) -> None:
        searched: Index = index(collection, embedder)
        self.one = partial(
            search_one_index,
            chunks=searched.active,
            embedder=embedder,
            top_k=_TOP,
            threshold=threshold,
            language=LANGUAGE,
            fitted=searched.fitted,
        )

    def parts(self, question: str) -> SearchResults:
        return search_parts(question, lambda text, follow_up: self.one(text, follow_up=follow_up), top_k=_TOP)


def _right(questions: Sequence[TwoParts], asked: Mapping[str, _Asked], *, wrong: bool) -> Mapping[str, Sequence[bool]]:
    right: dict[str, list[bool]] = {}
    for question in questions:
        found = asked[question.collection].parts(question.text)
        given = status(question.text, found)
        right.setdefault(question.collection, []).append(given == question.covered)
        if wrong and given != question.covered:
            texts = [part.text for part in found.parts]
            print(question.collection, question.covered, given, question.text, texts, file=sys.stderr)
    return right


def _single(collection: Collection, asked: _Asked) -> Mapping[str, float]:
    split = [id for id, text in collection.questions.items() if question_parts(text).texts]

    def is_found(id: str, results: SearchResults) -> bool:
        wanted = {document_id("bench", name) for name in collection.answers[id]}
        return not wanted.isdisjoint(source.document.id for one in results for source in one.sources)

    alone = {id: is_found(id, asked.one(text)) for id, text in collection.questions.items()}
    # What is not divided is searched for as before.
    parted = alone | {id: is_found(id, asked.parts(collection.questions[id])) for id in split}
    return {
        "split": round(len(split) / len(alone), 4),
        "recall_at_5": _share(list(parted.values())),
        "recall_at_5_of_one_search": _share(list(alone.values())),
    }


def _share(given: Sequence[bool]) -> float:
    return round(sum(given) / len(given), 4)


if __name__ == "__main__":
    main()
