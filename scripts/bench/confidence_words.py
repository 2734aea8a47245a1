"""How often results are right, for each word of confidence.

Prints one line of JSON for each language of XQuAD. Every question is asked twice: of all paragraphs, and of those that
are left without the one that answers, where no result is right. For each word there are the number of results, the
share of them that is right, and the same for the first results alone. The bounds in force were chosen on English and
Vietnamese.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ragbase.domain.confidence import Confidence
from ragbase.ports import Embedder
from ragbase.retrieval.search_one_index import search_one_index
from scripts.bench.corpus import LANGUAGE, Collection, Index, index, xquad
from scripts.bench.keeping_embedder import KeepingEmbedder
from scripts.bench.machine import machine
from scripts.bench.missing_answers import EVERY, THRESHOLD, TOP, local_embedder
from scripts.bench.postings_store import PostingsStore


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/confidence-words", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="has xquad/ with its files")
    parser.add_argument("--all", action="store_true", help=f"every paragraph, and not one of {EVERY}")
    options = parser.parse_args()
    embedder = KeepingEmbedder(local_embedder())
    for file in sorted((options.data / "xquad").glob("xquad.*.json")):
        language = file.suffixes[0][1:]
        found = list(_found(xquad(options.data, language), embedder, every=1 if options.all else EVERY))
        line = {"bench": "confidence-words", "language": language, "words": _figures(found)}
        print(json.dumps(line | {"machine": machine()}), flush=True)


Found = tuple[Confidence, bool, bool]
"""The word of a result, whether it is right, and whether it is the first one."""


def _found(whole: Collection, embedder: Embedder, *, every: int) -> Iterator[Found]:
    full = index(whole, embedder, PostingsStore)
    for name in itertools.islice(whole.documents, 0, None, every):
        rest = {other: passages for other, passages in whole.documents.items() if other != name}
        less = Collection(whole.name, rest, whole.questions, whole.answers)
        without = index(less, embedder, PostingsStore, full.fitted)
        for id in (id for id, names in whole.answers.items() if names == {name}):
            for searched in (full, without):
                yield from _results(whole.questions[id], name, searched, embedder)


def _results(question: str, answers: str, searched: Index, embedder: Embedder) -> Iterator[Found]:
    results = search_one_index(
        question,
        chunks=searched.active,
        embedder=embedder,
        top_k=TOP,
        threshold=THRESHOLD,
        language=LANGUAGE,
        fitted=searched.fitted,
    )
    for result in results:
        yield result.level, result.document.name == answers, result.rank == 1


def _figures(found: list[Found]) -> dict[str, dict[str, float]]:
    by_word = defaultdict[Confidence, list[tuple[bool, bool]]](list)
    for word, is_right, is_first in found:
        by_word[word].append((is_right, is_first))
    return {word.value: _shares(by_word[word]) for word in Confidence if word in by_word}


def _shares(results: list[tuple[bool, bool]]) -> dict[str, float]:
    first = [is_right for is_right, is_first in results if is_first]
    return {
        "results": len(results),
        "right": round(sum(is_right for is_right, _ in results) / len(results), 3),
        "first": len(first),
        "first_right": round(sum(first) / max(len(first), 1), 3),
    }


if __name__ == "__main__":
    main()
