"""ragbase ingest"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from ragbase.domain.cause import causes_text
from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.program_files import ProgramFiles
from ragbase.formats.extractor import allowed_formats
from ragbase.interfaces.cli.left_out import LeftOutReport
from ragbase.interfaces.cli.messages import FailedFile, IngestSummary, ReadAgain
from ragbase.interfaces.cli.progress import progress
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
from ragbase.interfaces.knowledge.ingestion import Ingested
from ragbase.sources.expand import expand
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
    expanded = expand(
        paths, allowed, program_files=ProgramFiles(config.program_files), follow_links=config.follow_links
    )
    files, problems = list(expanded.files), expanded.problems
    for problem in problems:
        click.echo(f"failed: {visible(problem.message)}", err=True)
    outcomes = []
    if files or expanded.program_files:
        with session.ingestion(chunk_size=chunk_size) as ingestion:
            files += ingestion.documents_among(expanded.program_files)
            if not session.quiet and (missing := ingestion.missing(allowed)) is not None:
                click.echo(missing, err=True)
            ingestion.bring(files, allowed)
            with progress(len(files), as_json=as_json, quiet=session.quiet) as settled:
                for outcome in ingestion.run(files):
                    settled(outcome)
                    outcomes.append(outcome)
            for told in ingestion.finish(quiet=session.quiet):
                click.echo(told, err=True)
    taken = {file.source for file in files}
    left_out = LeftOutReport(verbose=verbose)
    for source, why in expanded.left_out:
        if source not in taken:
            left_out.add(source, why)
    places = {file.source: place for place, file in enumerate(files)}
    outcomes.sort(key=lambda outcome: places[outcome.source])
    summary = _summary(problems, outcomes, left_out)
    if as_json:
        print_json(summary)
    elif not session.quiet:
        left_out.print()
        for again in summary.read_again or ():
            documents = counted(again.documents, "document")
            click.echo(f"read again: {documents} with the same bytes, because of {causes_text(again.because)}")
        also = f", {left_out.count:,} left out" if left_out.count else ""
        if summary.embedded_texts is not None:
            also += f", {counted(summary.embedded_texts, 'text')} embedded"
        click.echo(
            f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}; "
            f"{summary.unchanged:,} unchanged, {len(summary.failed):,} failed{also}"
        )
    if summary.failed:
        raise click.exceptions.Exit(1)


def _summary(problems: Sequence[Problem], outcomes: Sequence[Ingested], left_out: LeftOutReport) -> IngestSummary:
    indexed = [outcome for outcome in outcomes if outcome.error is None]
    failed = [FailedFile(filename=problem.path, error=problem.message) for problem in problems]
    failed += [
        FailedFile(filename=outcome.source, error=outcome.error) for outcome in outcomes if outcome.error is not None
    ]
    again = Counter(tuple(outcome.read_again) for outcome in outcomes if outcome.read_again)
    return IngestSummary(
        documents=len(indexed),
        chunks=sum(outcome.chunks or 0 for outcome in indexed),
        unchanged=sum(outcome.unchanged for outcome in indexed),
        read_again=tuple(ReadAgain(documents=count, because=causes) for causes, count in again.most_common()) or None,
        embedded_texts=sum(outcome.embedded_texts or 0 for outcome in outcomes) if again else None,
        failed=tuple(failed),
        left_out=left_out.messages(),
    )
