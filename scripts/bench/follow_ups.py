"""Do follow-ups find what the same questions find, written out? Prints a line of JSON.

data/follow_ups.tsv has follow-ups by hand about XQuAD (English, Spanish, Russian, Vietnamese) and the Markdown files,
each with the questions before it, and written out so that it stands alone. `ratio` is the recall@5 of the follow-ups
(rule, no model) divided by that of the written questions, both at the default threshold; `ratio_users_only` is the same
if the history has no answers. A follow-up whose `change` is a full question must be searched for as it is.
data/foreign_follow_ups.tsv has follow-ups about what the documents do not have: `refused` is their share without a
result, and `refused_written` that of the same questions written out. The rule was tuned on English and Vietnamese;
`held_out` has Spanish, Russian and the Markdown files. RAGBASE_EMBEDDER chooses the embedder.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.conversation import Role, Standalone, Turn
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.conversation.standalone import standalone
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResults
from scripts.bench.corpus import LANGUAGE, Collection, Index, index, markdown, parsed_with_data, xquad
from scripts.bench.machine import machine

_DATA = Path(__file__).parent / "data"
_FIVE = 5
_ROUNDS = 3
_MARKDOWN = {"prometheus": ("prometheus", "prometheus"), "rust": ("book", "rust")}
_TUNED_ON = ("en", "vi")
_SHOWN = 300
"""Characters of an answer in a history."""
_NO_INFORMATION = "The documents have no information on this."


@dataclass(frozen=True)
class Asked:
    """A follow-up, and the same question written out. `expected` are the ids of the documents that answer; none of a
    foreign one."""

    collection: str
    kind: str
    before: Sequence[str]
    text: str
    written: str
    expected: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Judged:
    """What was found for a follow-up and for the written question: a share for an own one, and whether it was refused
    for a foreign one."""

    asked: Asked
    alone: Standalone
    found: float
    found_without_answers: float
    written: float
    milliseconds: float


@dataclass(frozen=True)
class Searched:
    """An index that is asked as a user asks it."""

    index: Index
    embedder: Embedder
    threshold: float

    def results(self, alone: Standalone) -> SearchResults:
        return search_one_index(
            alone.text,
            chunks=self.index.active,
            embedder=self.embedder,
            top_k=_FIVE,
            threshold=self.threshold,
            language=LANGUAGE,
            fitted=self.index.fitted,
            follow_up=alone.follow_up,
        )

    def history(self, asked: Asked) -> list[Turn]:
        """The turns before, as a conversation has them: the best passage is the answer, and cited."""
        turns: list[Turn] = []
        for question in asked.before:
            found = self.results(standalone(question, turns)) if asked.kind != "refused" else SearchResults()
            answer = found[0].chunk.text[:_SHOWN] if found else _NO_INFORMATION
            cited = tuple(source.document.id for result in found[:1] for source in result.sources)
            turns += [Turn(Role.USER, question), Turn(Role.ASSISTANT, answer, cited)]
        return turns

    def judged(self, asked: Asked, value: Callable[[Asked, SearchResults], float]) -> Judged:
        history = self.history(asked)
        alone = standalone(asked.text, history)
        took = _least_seconds(partial(standalone, asked.text, history))
        if alone.follow_up is not None:
            plain = partial(self.results, replace(alone, follow_up=None))
            took += max(0.0, _least_seconds(partial(self.results, alone)) - _least_seconds(plain))
        without = standalone(asked.text, [turn for turn in history if turn.role is Role.USER])
        return Judged(
            asked,
            alone,
            value(asked, self.results(alone)),
            value(asked, self.results(without)),
            value(asked, self.results(Standalone(asked.written))),
            took * 1000,
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/follow-ups", description="Measure follow-ups.")
    options = parsed_with_data(parser)
    config = load_config()
    embedder = RememberingEmbedder(open_profile(config).embedder)
    own, foreign = own_follow_ups(), foreign_follow_ups()
    found: list[Judged] = []
    refused: list[Judged] = []
    for name in dict.fromkeys(one.collection for one in own):
        searched = Searched(index(collection_of(name, options.data), embedder), embedder, config.similarity_threshold)
        found += [searched.judged(one, recall) for one in own if one.collection == name]
        refused += [searched.judged(one, refusal) for one in foreign if one.collection == name]
    print(
        json.dumps(
            {"bench": "follow-ups", "embedder": embedder.model} | figures(found, refused) | {"machine": machine()}
        )
    )


def figures(found: Sequence[Judged], refused: Sequence[Judged]) -> dict[str, object]:
    def of(keep: Callable[[Judged], bool]) -> dict[str, object]:
        return summary(list(filter(keep, found)), list(filter(keep, refused)))

    times = sorted(one.milliseconds for one in (*found, *refused))
    judged = (*found, *refused)
    kinds = dict.fromkeys(one.asked.kind for one in judged)
    names = dict.fromkeys(one.asked.collection for one in judged)
    return {
        **of(lambda _: True),
        "untouched": round(_mean(one.alone.searched_for is None for one in found if one.asked.kind == "change"), 3),
        "milliseconds_p50": round(statistics.median(times), 3),
        "milliseconds_p95": round(times[len(times) * 95 // 100], 3),
        "tuned_on": of(lambda one: one.asked.collection in _TUNED_ON),
        "held_out": of(lambda one: one.asked.collection not in _TUNED_ON),
        "collections": {name: of(partial(_is_of_collection, name)) for name in names},
        "kinds": {name: of(partial(_is_of_kind, name)) for name in kinds},
    }


def _is_of_collection(name: str, one: Judged) -> bool:
    return one.asked.collection == name


def _is_of_kind(name: str, one: Judged) -> bool:
    return one.asked.kind == name


def summary(found: Sequence[Judged], refused: Sequence[Judged]) -> dict[str, object]:
    summed: dict[str, object] = {}
    if found:
        written = _mean(one.written for one in found)
        recalled = _mean(one.found for one in found)
        without = _mean(one.found_without_answers for one in found)
        summed |= {
            "follow_ups": len(found),
            "recall_at_5": round(recalled, 3),
            "recall_at_5_written": round(written, 3),
            "ratio": round(recalled / written, 3),
            "ratio_users_only": round(without / written, 3),
        }
    if refused:
        summed |= {
            "foreign": len(refused),
            "refused": round(_mean(one.found for one in refused), 3),
            "refused_users_only": round(_mean(one.found_without_answers for one in refused), 3),
            "refused_written": round(_mean(one.written for one in refused), 3),
        }
    return summed


def _least_seconds(work: Callable[[], object]) -> float:
    """Of several runs, and of this thread: the machine may have other work."""
    seconds = []
    for _ in range(_ROUNDS):
        began = time.thread_time()
        work()
        seconds.append(time.thread_time() - began)
    return min(seconds)


def recall(asked: Asked, results: SearchResults) -> float:
    """Whether one of the documents that answer is among the results."""
    return float(any(source.document.id in asked.expected for result in results for source in result.sources))


def refusal(_: Asked, results: SearchResults) -> float:
    return float(not results)


def own_follow_ups() -> list[Asked]:
    return [
        Asked(name, kind, before.split(" | "), text, written, frozenset(map(_id, expected.split(","))))
        for name, kind, before, text, written, expected in _rows("follow_ups")
    ]


def foreign_follow_ups() -> list[Asked]:
    return [
        Asked(name, f"foreign, {kind}", before.split(" | "), text, written)
        for name, kind, before, text, written in _rows("foreign_follow_ups")
    ]


def collection_of(name: str, data: Path) -> Collection:
    return markdown(data, *_MARKDOWN[name]) if name in _MARKDOWN else xquad(data, name)


def _rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (_DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]


def _id(name: str) -> str:
    return document_id("bench", name)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


if __name__ == "__main__":
    main()
