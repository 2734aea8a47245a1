"""ragbase calibrate"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ragbase.domain.calibration import CalibrationOrigin, FittedCalibration
from ragbase.domain.errors import BadDataset
from ragbase.domain.index import Index
from ragbase.engine.calibrate import calibrate
from ragbase.interfaces.cli.messages import CalibrationSummary
from ragbase.interfaces.cli.screen import counted, print_fields, print_json
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.retrieval.calibration import origin_of

_ORIGINS = {
    CalibrationOrigin.KNOWN: "the model's own constants",
    CalibrationOrigin.FITTED: "fitted to this index, without labels",
    CalibrationOrigin.LABELLED: "fitted to this index, with labelled questions",
    CalibrationOrigin.MISSING: "none: the threshold is a guess",
}


@click.command("calibrate")
@click.option(
    "--questions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Fit to these labelled questions, too (a CSV file, as for `ragbase eval`).",
)
@click.option("--show", is_flag=True, help="Change nothing, and show what was fitted before.")
@json_option
@session_options
@pass_session
def command(session: Session, *, questions: Path | None, show: bool, as_json: bool) -> None:
    """Fit the scores to the embedding model of the index.

    Each model has its own scale of cosines. This command finds how that of your index compares with MiniLM's, from your
    passages and some questions of ours, so that a threshold means the same with every model. It also weighs meaning
    against words anew for the order of the results, if that finds sentences of your documents better. No labels are
    needed. It embeds some 470 short texts. What it finds is kept with the index, and used by every process within a
    minute.
    """
    if show and questions is not None:
        raise click.UsageError("--show changes nothing, so it does not go together with --questions. Leave one out.")
    with session.profile() as profile:
        if not show:
            calibrate(profile, questions)
        index = profile.indexes.current()
        if index is None:
            raise BadDataset("There is no index yet. Add documents with: ragbase ingest PATH")
        summary = _summary(index, profile.calibrations.of(index))
    if as_json:
        print_json(summary)
    else:
        print_fields(list(_fields(summary)))


def _summary(index: Index, fitted: FittedCalibration | None) -> CalibrationSummary:
    summary = CalibrationSummary(index=index.name, model=index.model, origin=origin_of(index.model, fitted))
    if fitted is None or not (fitted.cosines or fitted.labels or fitted.order or fitted.chance_levels):
        return summary
    found: dict[str, object] = {"fitted_at": fitted.fitted_at}
    if fitted.cosines is not None:
        (background, _), (answers, _), _ = fitted.cosines.points
        found |= {"passages": fitted.passages, "background": background, "answers": answers}
    if fitted.labels is not None:
        labels = fitted.labels
        found |= {"questions": labels.questions, "foreign": labels.foreign}
        found |= {"stretch": labels.stretch, "shift": labels.shift}
    if fitted.order is not None:
        order = fitted.order
        found |= {"cosine_factor": order.cosine, "coverage_factor": order.coverage, "order_questions": order.questions}
        found |= {"order_usual": order.usual, "order_fitted": order.fitted}
    return summary.model_copy(update=found)


def _fields(summary: CalibrationSummary) -> Iterator[tuple[str, str]]:
    yield "index", summary.index
    yield "model", summary.model
    yield "calibration", _ORIGINS[summary.origin]
    if summary.fitted_at is not None:
        yield "fitted", f"{summary.fitted_at:%Y-%m-%d %H:%M} UTC"
    if summary.passages is not None:
        yield (
            "cosines",
            (
                f"{summary.background:.3f} for what has nothing to do with a question, {summary.answers:.3f} for its "
                f"answer; from {counted(summary.passages, 'passage')}"
            ),
        )
    if summary.order_questions is not None:
        yield (
            "order",
            (
                f"cosine times {summary.cosine_factor:g}, coverage times {summary.coverage_factor:g}; nDCG "
                f"{summary.order_fitted:.3f}, was {summary.order_usual:.3f}; from "
                f"{counted(summary.order_questions, 'question')}"
            ),
        )
    if summary.questions is not None:
        yield (
            "labels",
            (
                f"{counted(summary.questions, 'question')} and {summary.foreign:,} foreign ones: evidence times "
                f"{summary.stretch:.2f}, {summary.shift:+.2f}"
            ),
        )
