"""ragbase dead-letters"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from ragbase.bootstrap.profile import Profile
from ragbase.domain.dead_letter import DeadLetter
from ragbase.domain.document import Document
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from ragbase.engine.identify import document_ids
from ragbase.engine.lanes import collect_dead_letters, lanes
from ragbase.engine.replay import replay_dead_letter
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter, problem_of
from ragbase.interfaces.cli.screen import counted, print_fields, print_json, print_table, visible, when
from ragbase.interfaces.cli.session import Command, Session, json_option, pass_session, session_options
from ragbase.interfaces.wire.dead_letters import (
    DeadLetterList,
    DiscardSummary,
    ReplaySummary,
    dead_letter_detail,
    dead_letter_summary,
    document_state,
    records_of,
    wording,
)
from ragbase.upkeep.dead_letters.find import find_dead_letters
from ragbase.upkeep.dead_letters.replay import Fate

COLUMNS = ("ID", "KIND", "DOCUMENT", "NOW", "ATTEMPTS", "LAST SEEN", "REASON")
_REASON = 80
"""Characters of a reason in the table; `show` prints all of it."""
_TOGETHER = 100
"""Dead letters whose documents are awaited together."""


@click.group("dead-letters")
@session_options
def command() -> None:
    """Show, replay or discard undeliverable messages.

    A dead letter is a message that failed every retry. Its document is FAILED with the reason. Remove the cause, then
    replay the dead letter.
    """


@dataclass(frozen=True, slots=True)
class Selection:
    """Which dead letters: by id, by document or a text in the reason, or all."""

    ids: Sequence[str]
    document: str | None
    reason: str | None
    all: bool

    def check(self) -> None:
        """Refuse to act on dead letters that nobody has chosen."""
        ways = [bool(self.ids), self.document is not None or self.reason is not None, self.all]
        if not any(ways):
            raise click.UsageError(
                "Which dead letters? Give their ids, or --document or --reason, or --all. "
                "`ragbase dead-letters list` shows them."
            )
        if sum(ways) > 1:
            raise click.UsageError("Give ids, or --document and --reason, or --all: only one of these.")

    def dead_letters(self, profile: Profile) -> Iterator[DeadLetter]:
        """Unknown ids are reported and left out."""
        if not self.ids:
            ids: Sequence[str] = ()
            if self.document is not None:
                ids = document_ids(self.document, profile.bucket, profile.bucket_folder)
            yield from find_dead_letters(profile.dead_letters, document_ids=ids, reason=self.reason or "")
        for id in dict.fromkeys(self.ids):
            dead_letter = profile.dead_letters.get(id)
            if dead_letter is None:
                click.echo(f"failed: {_not_found(id)}", err=True)
            else:
                yield dead_letter

    def missing(self, found: int) -> bool:
        return found < len(set(self.ids))


def _which(command: Command) -> Command:
    document = click.option("--document", metavar="ID|PATH", help="Only those of this document.")
    reason = click.option("--reason", metavar="TEXT", help="Only those with this text in their code or reason.")
    return document(reason(command))


def _selection(command: Callable[..., None]) -> Callable[..., None]:
    """The options that choose dead letters. The command gets them as one Selection."""

    @wraps(command)
    def choose(
        *arguments: Any, ids: Sequence[str], document: str | None, reason: str | None, take_all: bool, **options: Any
    ) -> None:
        selection = Selection(ids, document, reason, take_all)
        selection.check()
        command(*arguments, selection=selection, **options)

    everything = click.option("--all", "take_all", is_flag=True, help="All dead letters.")
    return click.argument("ids", metavar="[ID]...", nargs=-1)(_which(everything(choose)))


@command.command("list")
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_PAGE_SIZE),
    default=DEFAULT_PAGE_SIZE,
    show_default=True,
    help="How many to show.",
)
@_which
@json_option
@session_options
@pass_session
def list_letters(session: Session, limit: int, document: str | None, reason: str | None, as_json: bool) -> None:
    """List the dead letters.

    The newest come first. NOW is the document's status now: REPLACED means that it has another generation. A dead
    letter whose document is COMPLETED, DELETED or REPLACED is outdated: a replay just removes it.
    """
    with session.profile() as profile:
        collect_dead_letters(profile)
        chosen = Selection((), document, reason, all=True).dead_letters(profile)
        dead_letters = list(itertools.islice(chosen, limit + 1))
        records = records_of(dead_letters, profile.documents)
    more, dead_letters = len(dead_letters) > limit, dead_letters[:limit]
    if as_json:
        print_json(
            DeadLetterList(
                dead_letters=tuple(dead_letter_summary(one, _record(one, records)) for one in dead_letters), more=more
            )
        )
        return
    if dead_letters:
        print_table(
            COLUMNS,
            (_row(dead_letter, _record(dead_letter, records)) for dead_letter in dead_letters),
            right=("ATTEMPTS",),
        )
        click.echo(f"\n{counted(len(dead_letters), 'dead letter')}{', and there are more' if more else ''}")
    else:
        click.echo("No dead letters." if document is None and reason is None else "No dead letters match.")


@command.command("show")
@click.argument("id")
@json_option
@session_options
@pass_session
def show(session: Session, id: str, as_json: bool) -> None:
    """Show everything known about a dead letter."""
    with session.profile() as profile:
        collect_dead_letters(profile)
        dead_letter = profile.dead_letters.get(id)
        if dead_letter is None:
            raise click.ClickException(_not_found(id))
        record = _record(dead_letter, records_of([dead_letter], profile.documents))
    if as_json:
        print_json(dead_letter_detail(dead_letter, record))
    else:
        print_fields(_fields(dead_letter, record))


@command.command("replay")
@_selection
@click.option("--no-wait", is_flag=True, help="Do not wait until the documents have settled.")
@json_option
@session_options
@pass_session
def replay(session: Session, *, selection: Selection, no_wait: bool, as_json: bool) -> None:
    """Send dead letters through the pipeline again.

    Their documents get a new round of attempts, and the dead letters are removed. Doing it twice does no harm.
    """
    done: Counter[Fate] = Counter()
    failed = 0
    with session.profile() as profile:
        collect_dead_letters(profile)
        dead_letters = selection.dead_letters(profile)
        while some := list(itertools.islice(dead_letters, _TOGETHER)):
            if no_wait:
                _replay(profile, some, done)
                continue
            waiter = DocumentWaiter(profile.documents, Standstill(profile))
            with lanes(profile, waiter.settled):
                for id in _replay(profile, some, done):
                    waiter.expect(id)
                failed += sum(map(_report_failure, waiter.rest()))
    summary = ReplaySummary(
        replayed=done[Fate.REPLAYED], outdated=done[Fate.OUTDATED], refused=done[Fate.REFUSED], failed=failed
    )
    if as_json:
        print_json(summary)
    else:
        click.echo(
            f"{counted(done.total(), 'dead letter')}: {summary.replayed:,} replayed, {summary.outdated:,} outdated, "
            f"{summary.refused:,} refused"
        )
    if summary.refused or failed or selection.missing(done.total()):
        raise click.exceptions.Exit(1)


@command.command("discard")
@_selection
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@session_options
@pass_session
def discard(session: Session, *, selection: Selection, yes: bool, as_json: bool) -> None:
    """Remove dead letters without a replay.

    Their documents stay as they are. `ragbase retry` still gives a FAILED one a new round of attempts.
    """
    discarded = 0
    with session.profile() as profile:
        collect_dead_letters(profile)
        found = sum(1 for _ in selection.dead_letters(profile))
        if found and not yes:
            click.confirm(f"Discard {counted(found, 'dead letter')}?", abort=True, err=True)
        for dead_letter in selection.dead_letters(profile) if found else ():
            discarded += profile.dead_letters.remove(dead_letter)
    if as_json:
        print_json(DiscardSummary(discarded=discarded))
    else:
        click.echo(f"{counted(discarded, 'dead letter')} discarded")
    if selection.missing(found):
        raise click.exceptions.Exit(1)


def _replay(profile: Profile, dead_letters: Sequence[DeadLetter], done: Counter[Fate]) -> list[str]:
    """Replay them, and return the documents that are processed again."""
    replayed = []
    for dead_letter in dead_letters:
        result = replay_dead_letter(dead_letter, profile)
        done[result.fate] += 1
        if result.fate is Fate.REPLAYED and dead_letter.document_id is not None:
            replayed.append(dead_letter.document_id)
        elif result.fate is not Fate.REPLAYED:
            click.echo(visible(f"{result.fate}: {dead_letter.name or dead_letter.id}: {result.reason}"), err=True)
    return replayed


def _report_failure(record: Document) -> bool:
    """Report the document if it has failed again or is held up, and return whether that is so."""
    problem = problem_of(record)
    if problem is None:
        return False
    click.echo(visible(f"failed: {problem}"), err=True)
    return True


def _not_found(id: str) -> str:
    return f"{visible(id)}: there is no such dead letter. `ragbase dead-letters list` shows them."


def _record(dead_letter: DeadLetter, records: Mapping[str, Document]) -> Document | None:
    return records.get(dead_letter.document_id or "")


def _row(dead_letter: DeadLetter, record: Document | None) -> tuple[str, ...]:
    reason = f"{dead_letter.code.value}: {dead_letter.reason}"
    return (
        dead_letter.id,
        dead_letter.kind.value,
        (record.source if record else dead_letter.name) or "–",
        document_state(dead_letter, record) or "–",
        str(dead_letter.attempts),
        when(dead_letter.last_seen),
        reason if len(reason) <= _REASON else f"{reason[: _REASON - 1]}…",
    )


def _fields(dead_letter: DeadLetter, record: Document | None) -> Iterator[tuple[str, str]]:
    yield "id", dead_letter.id
    yield "kind", dead_letter.kind.value
    if dead_letter.name is not None:
        yield "document", record.source if record else dead_letter.name
        yield "document id", str(dead_letter.document_id)
        yield "generation", str(dead_letter.generation)
        yield "document status", document_state(dead_letter, record) or "unknown"
    yield "attempts", str(dead_letter.attempts)
    yield "code", dead_letter.code.value
    yield "reason", dead_letter.reason
    yield "first seen", when(dead_letter.first_seen)
    yield "last seen", when(dead_letter.last_seen)
    yield "message", json.dumps(wording(dead_letter), ensure_ascii=False)
