"""Ask all questions, and measure what is found."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbase.evaluation.measures import MAIN_MEASURE, measured
from ragbase.evaluation.question import FoundText, JudgedQuestion

THRESHOLDS = tuple(step / 20 for step in range(21))
"""Where the shares of answered and refused questions are looked at."""
_DEPTH = 200
"""Passages that are read for recall@100: a document may have several."""


class EvaluatedSearch(Protocol):
    """A search that embeds a question once, although it is asked several times in a row."""

    def __call__(self, question: str, *, top_k: int, threshold: float) -> Sequence[FoundText]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredQuestion:
    """A question and what became of it. `without_threshold` and `at_threshold` have its measures; they are empty if
    nothing was expected. `results` were shown. `answered_until` is the highest of THRESHOLDS at which it still has a
    result; None if it has none at all. `seconds` is how long the search took, with the embedding."""

    id: str
    text: str
    is_answerable: bool
    without_threshold: Mapping[str, float]
    at_threshold: Mapping[str, float]
    results: int
    answered_until: float | None
    seconds: float

    @property
    def is_answered(self) -> bool:
        return self.results > 0

    @property
    def score(self) -> float:
        """What users get of it, from 0 to 1: nDCG@10 at the threshold. A question that nothing answers has 1 if nothing
        is shown, otherwise 0."""
        return self.at_threshold[MAIN_MEASURE] if self.is_answerable else float(not self.is_answered)


def evaluate(
    questions: Sequence[JudgedQuestion],
    ask: EvaluatedSearch,
    *,
    top_k: int,
    threshold: float,
    on_progress: Callable[[int], object] = lambda done: None,
) -> list[MeasuredQuestion]:
    """Ask each question as a user does, with `top_k` and `threshold`, then deeper and without the threshold."""
    found, passing = dict[str, list[str]](), dict[str, list[str]]()
    shown = dict[str, tuple[int, float, float | None]]()
    for done, one in enumerate(questions, start=1):
        start = time.perf_counter()
        results = ask(one.text, top_k=top_k, threshold=threshold)
        seconds = time.perf_counter() - start
        shown[one.id] = (len(results), seconds, _answered_until(one, ask, top_k))
        if one.expected:
            found[one.id] = one.items(ask(one.text, top_k=_DEPTH, threshold=0.0))
            passing[one.id] = one.items(ask(one.text, top_k=_DEPTH, threshold=threshold))
        on_progress(done)
    answers = {one.id: one.answers for one in questions if one.expected}
    without_threshold, at_threshold = measured(answers, found), measured(answers, passing)
    return [
        MeasuredQuestion(
            id=one.id,
            text=one.text,
            is_answerable=bool(one.expected),
            without_threshold=without_threshold.get(one.id, {}),
            at_threshold=at_threshold.get(one.id, {}),
            results=shown[one.id][0],
            answered_until=shown[one.id][2],
            seconds=shown[one.id][1],
        )
        for one in questions
    ]


def _answered_until(question: JudgedQuestion, ask: EvaluatedSearch, top_k: int) -> float | None:
    """A higher threshold never shows more, so some five searches find the place."""
    refused_from = bisect_left(
        THRESHOLDS, True, key=lambda threshold: not ask(question.text, top_k=top_k, threshold=threshold)
    )
    return THRESHOLDS[refused_from - 1] if refused_from else None
