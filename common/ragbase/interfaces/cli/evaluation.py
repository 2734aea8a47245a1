"""What `ragbase eval` prints: JSON, which a later run can be compared with, or tables for a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ragbase.domain.errors import BadDataset, MalformedMessage
from ragbase.engine.evaluate import Evaluation
from ragbase.evaluation.compare import paired
from ragbase.evaluation.figures import curve, latencies, measure_means, shares_now
from ragbase.evaluation.measures import MAIN_MEASURE, MEASURES
from ragbase.interfaces.cli.messages import Given
from ragbase.interfaces.cli.screen import counted
from ragbase.messages.json_model import JsonModel, read_json


class EvaluatedMeasure(JsonModel):
    """A mean over the questions that have an answer."""

    name: str
    without_threshold: float
    at_threshold: float


class EvaluatedShares(JsonModel):
    """At a threshold: the share of questions with an answer that get a result, and of the others that get none."""

    threshold: float
    answered: float | None = None
    refused: float | None = None


class EvaluatedQuestion(JsonModel):
    """A question. `answeredUntil` is the highest threshold, in steps of 0.05, at which it still has a result."""

    id: str
    text: str
    is_answerable: bool
    without_threshold: dict[str, float]
    at_threshold: dict[str, float]
    score: float
    results: int
    answered_until: float | None = None
    milliseconds: float


class ComparedMeasure(JsonModel):
    """`first` is the mean of the other run, `second` of this one. `p` is how likely it is that a difference of this
    size comes by chance. `better` and `worse` count questions of this run."""

    name: str
    first: float
    second: float
    difference: float
    p: float
    better: int
    worse: int


class EvaluationComparison(JsonModel):
    """`other` is the file of the earlier result, or the settings of the other run."""

    other: Given
    measures: tuple[ComparedMeasure, ...]


class EvaluationResult(JsonModel):
    """What `ragbase eval --json` prints."""

    dataset: Given
    model: str | None = None
    settings: dict[str, str | int | float]
    documents: int
    refused_documents: int
    ingest_seconds: float
    answerable: int
    unanswerable: int
    score: float
    measures: tuple[EvaluatedMeasure, ...]
    shares: EvaluatedShares
    curve: tuple[EvaluatedShares, ...]
    latency_milliseconds: dict[str, float]
    questions: tuple[EvaluatedQuestion, ...]
    comparison: EvaluationComparison | None = None


def evaluation_result(evaluation: Evaluation) -> EvaluationResult:
    asked = evaluation.questions
    now = shares_now(asked, evaluation.threshold)
    return EvaluationResult(
        dataset=evaluation.dataset,
        model=evaluation.model,
        settings=dict(evaluation.settings),
        documents=evaluation.documents,
        refused_documents=evaluation.refused,
        ingest_seconds=round(evaluation.ingest_seconds, 3),
        answerable=sum(one.is_answerable for one in asked),
        unanswerable=sum(not one.is_answerable for one in asked),
        score=sum(one.score for one in asked) / len(asked),
        measures=tuple(
            EvaluatedMeasure(name=one.name, without_threshold=one.without_threshold, at_threshold=one.at_threshold)
            for one in measure_means(asked)
        ),
        shares=EvaluatedShares(threshold=now.threshold, answered=now.answered, refused=now.refused),
        curve=tuple(
            EvaluatedShares(threshold=one.threshold, answered=one.answered, refused=one.refused) for one in curve(asked)
        ),
        latency_milliseconds={f"p{percent}": round(1000 * one, 2) for percent, one in latencies(asked).items()},
        questions=tuple(
            EvaluatedQuestion(
                id=one.id,
                text=one.text,
                is_answerable=one.is_answerable,
                without_threshold=dict(one.without_threshold),
                at_threshold=dict(one.at_threshold),
                score=one.score,
                results=one.results,
                answered_until=one.answered_until,
                milliseconds=round(1000 * one.seconds, 2),
            )
            for one in asked
        ),
    )


def read_evaluation(file: Path) -> EvaluationResult:
    """An earlier result. Raises BadDataset."""
    try:
        return read_json(EvaluationResult, file.read_bytes(), "result of `ragbase eval --json`")
    except OSError as error:
        raise BadDataset(f"{file} cannot be read: {error.strerror}. Check the path.") from None
    except MalformedMessage as error:
        raise BadDataset(f"{file}: {error}") from None


def compared(other: EvaluationResult, this: EvaluationResult, name: str) -> EvaluationComparison:
    """This run and another one with the same questions. Raises BadDataset if they are not the same."""
    before = {one.text: one for one in other.questions}
    after = {one.text: one for one in this.questions}
    if differing := before.keys() ^ after.keys():
        raise BadDataset(
            f"{name} cannot be compared: {counted(len(differing), 'question')} are in one of the two runs only, such "
            f"as {min(differing)!r}. Compare runs with the same questions."
        )
    answerable = [text for text, one in after.items() if one.is_answerable and before[text].is_answerable]
    rows: dict[str, tuple[Callable[[EvaluatedQuestion], float], list[str]]] = {"score": (_score, list(after))}
    for measure in MEASURES if answerable else ():
        rows[measure] = (_without_threshold(measure), answerable)
    if answerable:
        rows[f"{MAIN_MEASURE} at the threshold"] = (_score, answerable)
    rows["questions with a result"] = (_is_answered, list(after))
    return EvaluationComparison(
        other=name,
        measures=tuple(
            _compared(row, [(value(before[text]), value(after[text])) for text in texts])
            for row, (value, texts) in rows.items()
        ),
    )


def summary_fields(result: EvaluationResult) -> Iterator[tuple[str, str]]:
    """What was asked, and how fast."""
    yield "dataset", result.dataset
    refused = f", {result.refused_documents:,} could not be made" if result.refused_documents else ""
    ingested = f", ingested in {result.ingest_seconds:,.1f} s" if result.ingest_seconds else ""
    yield "documents", f"{result.documents:,}{refused}{ingested}"
    if result.model is not None:
        yield "model", result.model
    yield "settings", ", ".join(f"{name} {value}" for name, value in result.settings.items())
    yield "questions", f"{result.answerable:,} with an answer, {result.unanswerable:,} without"
    shares = result.shares
    if shares.answered is not None:
        yield "answered", f"{shares.answered:.1%} of those with an answer, at the threshold {shares.threshold:g}"
    if shares.refused is not None:
        yield "refused", f"{shares.refused:.1%} of those without, at the threshold {shares.threshold:g}"
    yield "score", f"{result.score:.3f}"
    yield "latency", ", ".join(f"{name} {value:,.0f} ms" for name, value in result.latency_milliseconds.items())


def measure_rows(result: EvaluationResult) -> Iterator[tuple[str, str, str]]:
    for one in result.measures:
        yield one.name, f"{one.without_threshold:.3f}", f"{one.at_threshold:.3f}"


def curve_rows(result: EvaluationResult) -> Iterator[tuple[str, str, str]]:
    for one in result.curve:
        yield f"{one.threshold:.2f}", _share(one.answered), _share(one.refused)


def comparison_rows(comparison: EvaluationComparison) -> Iterator[tuple[str, ...]]:
    for one in comparison.measures:
        yield (
            one.name,
            f"{one.first:.3f}",
            f"{one.second:.3f}",
            f"{one.difference:+.3f}",
            f"{one.p:.4f}",
            f"{one.better:,}",
            f"{one.worse:,}",
        )


COMPARISON_COLUMNS = ("measure", "other", "this", "difference", "p", "better", "worse")


def _compared(name: str, pairs: list[tuple[float, float]]) -> ComparedMeasure:
    found = paired([first for first, _ in pairs], [second for _, second in pairs])
    return ComparedMeasure(
        name=name,
        first=found.first,
        second=found.second,
        difference=found.difference,
        p=found.p,
        better=found.better,
        worse=found.worse,
    )


def _without_threshold(measure: str) -> Callable[[EvaluatedQuestion], float]:
    return lambda one: _value(one.without_threshold, measure)


def _value(measures: Mapping[str, float], name: str) -> float:
    return measures.get(name, 0.0)


def _score(one: EvaluatedQuestion) -> float:
    return one.score


def _is_answered(one: EvaluatedQuestion) -> float:
    return float(one.results > 0)


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.3f}"
