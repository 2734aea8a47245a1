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

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.conversation import Role, Standalone, Turn
from ragbase.retrieval.conversation.standalone import standalone
from ragbase.retrieval.remembering_embedder import RememberingEmbedder
from ragbase.retrieval.search_result import SearchResults
from scripts.bench.corpus import (
    MARKDOWN,
    Collection,
    JudgedBench,
    Search,
    found_in,
    id_of,
    index,
    markdown,
    rows,
    xquad,
)
from scripts.bench.harness import Figures, share

_FIVE = 5
_ROUNDS = 3
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

    search: Search

    def results(self, alone: Standalone) -> SearchResults:
        return self.search.results(alone, self.search.threshold, _FIVE)

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
    bench = JudgedBench("follow-ups", __doc__)
    bench.number("--most", 1_000, "follow-ups of each collection")
    bench.add_argument("--only", nargs="+", metavar="NAME", help="these collections: en, es, ru, vi, prometheus, rust")
    options = bench.parsed()
    config = load_config()
    embedder = RememberingEmbedder(open_profile(config).embedder)
    own, foreign = own_follow_ups(), foreign_follow_ups()
    found: list[Judged] = []
    refused: list[Judged] = []
    for name in options.only or dict.fromkeys(one.collection for one in own):
        searched_in = index(collection_of(name, options.data), embedder)
        searched = Searched(Search(searched_in, embedder, config.similarity_threshold))
        some = [one for one in own if one.collection == name][: options.most]
        found += [searched.judged(one, recall) for one in some]
        some = [one for one in foreign if one.collection == name][: options.most]
        refused += [searched.judged(one, refusal) for one in some]
    bench.say({"embedder": embedder.model} | figures(found, refused))


def figures(found: Sequence[Judged], refused: Sequence[Judged]) -> Figures:
    def of(keep: Callable[[Asked], bool] = lambda _: True) -> Figures:
        return _summary([one for one in found if keep(one.asked)], [one for one in refused if keep(one.asked)])

    judged = (*found, *refused)
    times = sorted(one.milliseconds for one in judged)
    names, kinds = (dict.fromkeys(getattr(one.asked, by) for one in judged) for by in ("collection", "kind"))
    return {
        **of(),
        "untouched": share(one.alone.searched_for is None for one in found if one.asked.kind == "change"),
        "milliseconds_p50": round(statistics.median(times), 3),
        "milliseconds_p95": round(times[len(times) * 95 // 100], 3),
        "tuned_on": of(lambda asked: asked.collection in _TUNED_ON),
        "held_out": of(lambda asked: asked.collection not in _TUNED_ON),
        "collections": {name: of(partial(_is, "collection", name)) for name in names},
        "kinds": {kind: of(partial(_is, "kind", kind)) for kind in kinds},
    }


def _is(what: str, name: str, asked: Asked) -> bool:
    return bool(getattr(asked, what) == name)


def _summary(found: Sequence[Judged], refused: Sequence[Judged]) -> Figures:
    summed: Figures = {}
    if found:
        written, recalled = share((one.written for one in found), 9), share((one.found for one in found), 9)
        without = share((one.found_without_answers for one in found), 9)
        summed |= {
            "follow_ups": len(found),
            "recall_at_5": round(recalled, 3),
            "recall_at_5_written": round(written, 3),
            "ratio": round(recalled / written, 3) if written else 0.0,
            "ratio_users_only": round(without / written, 3) if written else 0.0,
        }
    if refused:
        summed |= {
            "foreign": len(refused),
            "refused": share(one.found for one in refused),
            "refused_users_only": share(one.found_without_answers for one in refused),
            "refused_written": share(one.written for one in refused),
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
    return float(not asked.expected.isdisjoint(found_in(results)))


def refusal(_: Asked, results: SearchResults) -> float:
    return float(not results)


def own_follow_ups() -> list[Asked]:
    return [
        Asked(name, kind, before.split(" | "), text, written, frozenset(map(id_of, expected.split(","))))
        for name, kind, before, text, written, expected in rows("follow_ups")
    ]


def foreign_follow_ups() -> list[Asked]:
    return [
        Asked(name, f"foreign, {kind}", before.split(" | "), text, written)
        for name, kind, before, text, written in rows("foreign_follow_ups")
    ]


def collection_of(name: str, data: Path) -> Collection:
    folder = next((folder for folder, questions in MARKDOWN.items() if questions == name), None)
    return markdown(data, folder) if folder else xquad(data, name)


if __name__ == "__main__":
    main()
