"""ragbase ingest"""

from __future__ import annotations

from collections.abc import Sequence

import click

from ragbase.bootstrap.profile import Profile
from ragbase.domain.chunk_size import ChunkSize
from ragbase.engine.calibrate_when_due import calibrate_when_due
from ragbase.engine.ingest import Outcome, ingest
from ragbase.engine.recommend_embedder import recommended_once
from ragbase.formats.extractor import allowed_formats
from ragbase.interfaces.cli.left_out import LeftOutReport, tell_missing_libraries
from ragbase.interfaces.cli.messages import FailedFile, IngestSummary
from ragbase.interfaces.cli.progress import Ended, progress
from ragbase.interfaces.cli.remote_ingest import ingest_remote
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import (
    Session,
    endpoint_options,
    follow_links_option,
    json_option,
    pass_session,
    quiet_option,
    session_options,
    verbose_option,
)
from ragbase.sources.expand import expand
from ragbase.sources.folder import LocalFile
from ragbase.sources.walk import Problem


def _chunk_size(_: click.Context, __: click.Parameter, text: str | None) -> ChunkSize | None:
    try:
        return None if text is None else ChunkSize.read(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.") from None


@click.command("ingest")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--chunk-size",
    metavar="SIZE/OVERLAP UNIT",
    callback=_chunk_size,
    help="How long the chunks of these files are, such as '512/50 tokens' or '1000/200 characters'. [default: the "
    "settings chunk_size, chunk_overlap and chunk_unit]",
)
@follow_links_option
@verbose_option
@quiet_option
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    *,
    paths: Sequence[str],
    chunk_size: ChunkSize | None,
    follow_links: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Make files searchable.

    PATH is a file, a folder with all its subfolders, or a pattern such as 'notes/**/*.md'. Unchanged files cost
    nothing. Of a changed file, only the changed chunks are embedded. After an interruption, the same command goes on
    where it stopped. What a folder has and ragbase does not read is counted by its kind.
    """
    config = session.config(follow_links=follow_links or None)
    allowed = allowed_formats(config.allowed_formats)
    if not (session.remote or session.quiet):
        tell_missing_libraries(allowed)
    expanded = expand(paths, allowed, follow_links=config.follow_links)
    files, problems = expanded.files, expanded.problems
    left_out = LeftOutReport(verbose=verbose)
    for source, why in expanded.left_out:
        left_out.add(source, why)
    for problem in problems:
        click.echo(f"failed: {visible(problem.message)}", err=True)
    outcomes: list[Ended] = []
    if session.remote:
        if chunk_size is not None:
            raise click.UsageError("--chunk-size does not go together with --endpoint: the deployment's settings hold.")
        with session.client() as client, progress(len(files), as_json=as_json, quiet=session.quiet) as settled:
            for sent in ingest_remote(files, client):
                settled(sent)
                outcomes.append(sent)
    elif files:
        with session.profile() as profile:
            outcomes += _ingest_here(files, profile, chunk_size=chunk_size, as_json=as_json, quiet=session.quiet)
    places = {file.source: place for place, file in enumerate(files)}
    outcomes.sort(key=lambda outcome: places[outcome.source])
    summary = _summary(problems, outcomes, left_out)
    if as_json:
        print_json(summary)
    elif not session.quiet:
        left_out.print()
        also = f", {left_out.count:,} left out" if left_out.count else ""
        click.echo(
            f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}; "
            f"{summary.unchanged:,} unchanged, {len(summary.failed):,} failed{also}"
        )
    if summary.failed:
        raise click.exceptions.Exit(1)


def _ingest_here(
    files: Sequence[LocalFile], profile: Profile, *, chunk_size: ChunkSize | None, as_json: bool, quiet: bool
) -> list[Outcome]:
    profile.prepare()  # its bar ends before ours begins
    outcomes = []
    with progress(len(files), as_json=as_json, quiet=quiet) as settled:
        for outcome in ingest(files, profile, chunk_size=chunk_size):
            settled(outcome)
            outcomes.append(outcome)
    calibrated = calibrate_when_due(profile)
    if calibrated is not None and calibrated.cosines is not None and not quiet:
        click.echo(f"Fitted the scores to {calibrated.model}, from {calibrated.passages:,} passages.", err=True)
    made = [one.document for one in outcomes if one.document is not None and not one.unchanged]
    if not quiet and (recommended := recommended_once(profile, made)) is not None:
        click.echo(str(recommended), err=True)
    return outcomes


def _summary(problems: Sequence[Problem], outcomes: Sequence[Ended], left_out: LeftOutReport) -> IngestSummary:
    indexed = [outcome for outcome in outcomes if outcome.error is None]
    failed = [FailedFile(filename=problem.path, error=problem.message) for problem in problems]
    failed += [
        FailedFile(filename=outcome.source, error=outcome.error) for outcome in outcomes if outcome.error is not None
    ]
    return IngestSummary(
        documents=len(indexed),
        chunks=sum(outcome.chunks or 0 for outcome in indexed),
        unchanged=sum(outcome.unchanged for outcome in indexed),
        failed=tuple(failed),
        left_out=left_out.messages(),
    )
