"""ragbase dead-letters"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from ragbase.bootstrap import Profile
from ragbase.bootstrap.settling import Settling
from ragbase.domain.dead_letter import DeadLetter
from ragbase.domain.document import Document, Status
from ragbase.interfaces.cli.letter_messages import (
    DiscardSummary,
    LetterList,
    ReplaySummary,
    document_state,
    letter_detail,
    letter_summary,
    wording,
)
from ragbase.interfaces.cli.screen import counted, print_fields, print_json, print_table, visible, when
from ragbase.interfaces.cli.session import Command, Session, json_option, pass_session, session_options
from ragbase.pipeline.replay import Fate

COLUMNS = ("ID", "KIND", "DOCUMENT", "NOW", "ATTEMPTS", "LAST SEEN", "REASON")
_REASON = 80
"""Characters of a reason in a table; `show` has all of it."""
_TOGETHER = 100
"""Letters whose documents are awaited together."""


@click.group("dead-letters")
@session_options
def command() -> None:
    """Show, replay or discard what the queues gave up on.

    A dead letter is a message that was tried again and again in vain. Its document is FAILED with the reason. Once the
    cause is gone, replay the letter.
    """


@dataclass(frozen=True, slots=True)
class Selection:
    """Which letters: by their ids, by a document and a text of the reason, or all."""

    ids: Sequence[str]
    document: str | None
    reason: str | None
    all: bool

    def check(self) -> None:
        """Nothing is done to letters that nobody has chosen."""
        ways = [bool(self.ids), self.document is not None or self.reason is not None, self.all]
        if not any(ways):
            raise click.UsageError(
                "Which dead letters? Name their ids, or choose by --document or --reason, or take --all. "
                "`ragbase dead-letters list` shows them."
            )
        if sum(ways) > 1:
            raise click.UsageError("Name ids, or choose by --document and --reason, or take --all: not two of these.")

    def letters(self, profile: Profile) -> Iterator[DeadLetter]:
        """Ids that are not there are told and left out."""
        if not self.ids:
            document_ids = profile.document_ids(self.document) if self.document is not None else ()
            yield from profile.find_letters(document_ids=document_ids, reason=self.reason or "")
        for id in dict.fromkeys(self.ids):
            letter = profile.dead_letters.get(id)
            if letter is None:
                click.echo(f"failed: {_not_found(id)}", err=True)
            else:
                yield letter

    def missing(self, found: int) -> bool:
        return found < len(set(self.ids))


def _which(command: Command) -> Command:
    document = click.option("--document", metavar="ID|PATH", help="Those about this document.")
    reason = click.option("--reason", metavar="TEXT", help="Those whose code or reason contains this text.")
    return document(reason(command))


def _selection(command: Callable[..., None]) -> Callable[..., None]:
    """The options that choose letters, given to the command as one Selection."""

    @wraps(command)
    def choose(
        *arguments: Any, ids: Sequence[str], document: str | None, reason: str | None, take_all: bool, **options: Any
    ) -> None:
        selection = Selection(ids, document, reason, take_all)
        selection.check()
        command(*arguments, selection=selection, **options)

    everything = click.option("--all", "take_all", is_flag=True, help="All of them.")
    return click.argument("ids", metavar="[ID]...", nargs=-1)(_which(everything(choose)))


@command.command("list")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="How many to show.")
@_which
@json_option
@session_options
@pass_session
def list_letters(session: Session, limit: int, document: str | None, reason: str | None, as_json: bool) -> None:
    """List the dead letters.

    The newest come first. NOW is what has become of the document since: REPLACED tells that a newer generation of it
    was seen. A letter whose document is COMPLETED, DELETED or REPLACED is outdated: a replay clears it away.
    """
    with session.profile() as profile:
        profile.collect_dead_letters()
        chosen = Selection((), document, reason, all=True).letters(profile)
        letters = list(itertools.islice(chosen, limit + 1))
        records = _records(profile, letters)
    more, letters = len(letters) > limit, letters[:limit]
    if as_json:
        print_json(
            LetterList(dead_letters=tuple(letter_summary(one, _record(one, records)) for one in letters), more=more)
        )
        return
    if letters:
        print_table(COLUMNS, (_row(letter, _record(letter, records)) for letter in letters), right=("ATTEMPTS",))
        click.echo(f"\n{counted(len(letters), 'dead letter')}{', and there are more' if more else ''}")
    else:
        click.echo("No dead letters." if document is None and reason is None else "No dead letters match.")


@command.command("show")
@click.argument("id")
@json_option
@session_options
@pass_session
def show(session: Session, id: str, as_json: bool) -> None:
    """Show everything that is known of a dead letter."""
    with session.profile() as profile:
        profile.collect_dead_letters()
        letter = profile.dead_letters.get(id)
        if letter is None:
            raise click.ClickException(_not_found(id))
        record = _record(letter, _records(profile, [letter]))
    if as_json:
        print_json(letter_detail(letter, record))
    else:
        print_fields(_fields(letter, record))


@command.command("replay")
@_selection
@click.option("--no-wait", is_flag=True, help="Do not wait for how the documents end.")
@json_option
@session_options
@pass_session
def replay(session: Session, *, selection: Selection, no_wait: bool, as_json: bool) -> None:
    """Give dead letters back to the pipeline.

    Their documents get a fresh round of attempts, and the letters are gone. Doing it twice does no harm.
    """
    done: Counter[Fate] = Counter()
    failed = 0
    with session.profile() as profile:
        profile.collect_dead_letters()
        letters = selection.letters(profile)
        while some := list(itertools.islice(letters, _TOGETHER)):
            if no_wait:
                _replay(profile, some, done)
                continue
            settling = Settling(profile.documents)
            with profile.subscriptions(settling.heard):
                for id in _replay(profile, some, done):
                    settling.expect(id)
                failed += sum(map(_tell, settling.rest()))
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
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@session_options
@pass_session
def discard(session: Session, *, selection: Selection, yes: bool, as_json: bool) -> None:
    """Forget dead letters.

    Their documents stay as they are: `ragbase retry` still gives one that is FAILED another round.
    """
    discarded = 0
    with session.profile() as profile:
        profile.collect_dead_letters()
        found = sum(1 for _ in selection.letters(profile))
        if found and not yes:
            click.confirm(f"Discard {counted(found, 'dead letter')}?", abort=True, err=True)
        for letter in selection.letters(profile) if found else ():
            discarded += profile.dead_letters.remove(letter)
    if as_json:
        print_json(DiscardSummary(discarded=discarded))
    else:
        click.echo(f"{counted(discarded, 'dead letter')} discarded")
    if selection.missing(found):
        raise click.exceptions.Exit(1)


def _replay(profile: Profile, letters: Sequence[DeadLetter], done: Counter[Fate]) -> list[str]:
    """Hand them over, and return the documents that are in work by it."""
    in_work = []
    for letter in letters:
        result = profile.replay(letter)
        done[result.fate] += 1
        if result.fate is Fate.REPLAYED and letter.document_id is not None:
            in_work.append(letter.document_id)
        elif result.fate is not Fate.REPLAYED:
            click.echo(visible(f"{result.fate}: {letter.name or letter.id}: {result.reason}"), err=True)
    return in_work


def _tell(record: Document) -> bool:
    """Say how the document ended, and return whether it has failed again."""
    if record.status is not Status.FAILED or record.failure is None:
        return False
    click.echo(visible(f"failed: {record.source}: {record.failure.code.value}: {record.failure.reason}"), err=True)
    return True


def _not_found(id: str) -> str:
    return f"{visible(id)}: there is no such dead letter. `ragbase dead-letters list` shows them."


def _records(profile: Profile, letters: Sequence[DeadLetter]) -> dict[str, Document]:
    ids = [letter.document_id for letter in letters if letter.document_id is not None]
    return dict(profile.documents.get_many(ids))


def _record(letter: DeadLetter, records: dict[str, Document]) -> Document | None:
    return records.get(letter.document_id or "")


def _row(letter: DeadLetter, record: Document | None) -> tuple[str, ...]:
    reason = f"{letter.code.value}: {letter.reason}"
    return (
        letter.id,
        letter.kind.value,
        (record.source if record else letter.name) or "–",
        document_state(letter, record) or "–",
        str(letter.attempts),
        when(letter.last_seen),
        reason if len(reason) <= _REASON else f"{reason[: _REASON - 1]}…",
    )


def _fields(letter: DeadLetter, record: Document | None) -> Iterator[tuple[str, str]]:
    yield "id", letter.id
    yield "kind", letter.kind.value
    if letter.name is not None:
        yield "document", record.source if record else letter.name
        yield "document id", str(letter.document_id)
        yield "generation", str(letter.generation)
        yield "document is", document_state(letter, record) or "not known"
    yield "attempts", str(letter.attempts)
    yield "code", letter.code.value
    yield "reason", letter.reason
    yield "first seen", when(letter.first_seen)
    yield "last seen", when(letter.last_seen)
    yield "message", json.dumps(wording(letter), ensure_ascii=False)
