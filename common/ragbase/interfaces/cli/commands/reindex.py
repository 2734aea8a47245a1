"""ragbase reindex"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ragbase.bootstrap.profile import Profile
from ragbase.domain.index import Index
from ragbase.domain.limits import ALLOWED_LOSS
from ragbase.engine.calibrate import calibrating
from ragbase.engine.lanes import lanes
from ragbase.engine.plan_reindex import plan_reindex
from ragbase.interfaces.cli.messages import ReindexEstimate, ReindexSummary
from ragbase.interfaces.cli.screen import counted, print_fields, print_json
from ragbase.interfaces.cli.session import Number, Session, json_option, pass_session, quiet_option, session_options
from ragbase.ports import Embedder
from ragbase.upkeep.reindex.estimate import Estimate, estimate
from ragbase.upkeep.reindex.progress import Reindexed, ReindexProgress
from ragbase.upkeep.reindex.reindex import reindex

Gate = Callable[[Index, Index], object]

_GOLDEN = "\0golden"
"""What `--gate` has if it names no file. No file has this name."""
_STEP = 100
"""Documents between two lines of progress, if there is no terminal."""


class _Questions(click.Path):
    """A CSV file, or _GOLDEN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == _GOLDEN else super().convert(value, param, ctx)


@click.command("reindex")
@click.option("--dry-run", is_flag=True, help="Only show what it would cost.")
@click.option("--discard", is_flag=True, help="Drop the half-built index of a reindex with other settings.")
@click.option(
    "--gate",
    is_flag=False,
    flag_value=_GOLDEN,
    type=_Questions(exists=True, dir_okay=False, path_type=Path),
    metavar="[QUESTIONS]",
    help="Ask these questions (a CSV file, as for `ragbase eval`), or without a file the golden ones, before the "
    "switch, and do not switch if the new index answers worse.",
)
@click.option(
    "--gate-loss",
    type=Number(0, 1),
    default=ALLOWED_LOSS,
    show_default=True,
    help="By how much the mean score of the questions may fall.",
)
@quiet_option
@json_option
@session_options
@pass_session
def command(
    session: Session, *, dry_run: bool, discard: bool, gate: Path | str | None, gate_loss: float, as_json: bool
) -> None:
    """Rebuild the index with the current settings.

    Run it after a change of the model, the chunks or the language. It builds a new index from the files in the bucket,
    then switches to it in one step. Search and uploads go on all the time. Texts that the same model has embedded
    before are not embedded again. A model without constants of its own is calibrated before the switch. After an
    interruption, the same command goes on where it stopped.
    """
    with session.profile() as profile:
        if dry_run:
            with plan_reindex(profile) as plan:
                _print_estimate(estimate(plan), profile.embedder, as_json=as_json)
            return
        done = _run(profile, discard=discard, gate=_gate(gate, gate_loss, profile), silent=as_json or session.quiet)
    if as_json:
        print_json(_summary(done))
    elif not session.quiet:
        for line in _lines(done):
            click.echo(line)
    if done.refused:
        raise click.exceptions.Exit(1)


def _run(profile: Profile, *, discard: bool, gate: Gate, silent: bool) -> Reindexed:
    """The lanes run meanwhile, if this process has them: a reindex waits for the documents that they are working on."""
    with lanes(profile), plan_reindex(profile) as plan, _progress(silent=silent) as on_progress:
        before_switch = calibrating(profile.calibrations, profile.maker_for, profile.documents, profile.clock, gate)
        done = reindex(plan, on_progress=on_progress, discard=discard, before_switch=before_switch)
    for name in done.dropped:
        profile.calibrations.forget(name)
    return done


def _gate(questions: Path | str | None, allowed_loss: float, profile: Profile) -> Gate:
    """What decides about the switch. The questions are read at once: a wrong one ends the command before the work."""
    if questions is None:
        return lambda current, built: None
    from ragbase.engine.gate import gate

    return gate(questions if isinstance(questions, Path) else None, profile, allowed_loss=allowed_loss)


def _summary(done: Reindexed) -> ReindexSummary:
    return ReindexSummary(
        made=done.made,
        index=done.index.name if done.index else None,
        model=done.index.model if done.index else None,
        documents=done.documents,
        chunks=done.chunks,
        embedded_texts=done.usage.embedded_texts,
        billed_tokens=done.usage.billed_tokens,
        refused=done.refused,
        dropped=done.dropped,
    )


def _lines(done: Reindexed) -> Iterator[str]:
    if done.index is None:
        yield "Nothing is indexed yet, so there is nothing to rebuild."
    elif not done.made:
        yield f"The index {done.index.name} already has the current settings: nothing to do."
    else:
        yield (
            f"{counted(done.documents, 'document')}, {counted(done.chunks, 'chunk')} in the new index "
            f"{done.index.name}; {counted(done.usage.embedded_texts, 'text')} embedded, "
            f"{counted(done.usage.billed_tokens, 'token')} billed, {done.refused:,} refused"
        )
    for name in done.dropped:
        yield f"dropped: the index {name}"
    for name in done.kept:
        yield f"kept: the index {name}, which another reindex is building"


def _print_estimate(cost: Estimate, embedder: Embedder, *, as_json: bool) -> None:
    if as_json:
        print_json(
            ReindexEstimate(
                index=cost.index.name if cost.index else None,
                documents=cost.documents,
                chunks=cost.chunks,
                texts=cost.texts,
                kept=cost.kept,
                characters=cost.characters,
                tokens=cost.tokens,
                refused=cost.refused,
                waiting=cost.waiting,
            )
        )
    elif cost.index is None:
        click.echo("There is nothing to rebuild.")
    else:
        print_fields(
            [
                ("new index", f"{cost.index.name}, {cost.index.dimension} dimensions, {cost.index.language}"),
                ("model", embedder.model),
                ("documents", f"{cost.documents:,}, {cost.refused:,} refused, {cost.waiting:,} being processed"),
                ("chunks", f"{cost.chunks:,}"),
                ("to embed", f"{cost.texts:,} texts, {cost.characters:,} characters, about {cost.tokens:,} tokens"),
                ("kept", f"{cost.kept:,} texts that were embedded before"),
            ]
        )


@contextmanager
def _progress(*, silent: bool) -> Iterator[Callable[[ReindexProgress], None]]:
    """A bar on a terminal, otherwise a line per hundred documents, nothing if it is to be silent."""
    if silent:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as update:
            yield update
    else:
        last: tuple[str, int] | None = None

        def line(progress: ReindexProgress) -> None:
            nonlocal last
            step = (progress.phase.value, progress.done // _STEP)
            if step != last and progress.done % _STEP == 0 and progress.done:
                click.echo(f"{progress.phase.value}: {progress.done:,} of {counted(progress.total, 'document')}")
                last = step

        yield line


@contextmanager
def _bar() -> Iterator[Callable[[ReindexProgress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[waiting]} being processed"),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("reindex", total=None, waiting=0)
    with bar:
        yield lambda progress: bar.update(
            task,
            description=progress.phase.value,
            completed=progress.done,
            total=progress.total,
            waiting=progress.waiting,
        )
