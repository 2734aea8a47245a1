"""ragbase audit"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import click

from ragbase.access.read_audit import WantedEntries, entries_of, find
from ragbase.access.verify_audit import Head, verify
from ragbase.domain.audit import Action, AuditEntry
from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.engine.identify import document_ids
from ragbase.interfaces.cli.screen import print_json, print_table, visible, when
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options, typed_name, utf8
from ragbase.interfaces.wire.audit import AuditList, entry_body, verification
from ragbase.messages.api.audit import AuditLine
from ragbase.ports import Bucket

COLUMNS = ("TIME", "ACTION", "OUTCOME", "CALLER", "ADDRESS", "REQUEST", "DOCUMENT", "DETAILS")
_MOST = 100_000
_TIME = click.DateTime(formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])


@click.group("audit")
@session_options
def command() -> None:
    """Show, check or export the record of who did what.

    It has an entry for each change of a document, question, sign-in, refusal and key. It has ids and hashes, and no
    text. Each entry has the hash of the one before.
    """


@command.command("list")
@click.option("--since", type=_TIME, metavar="TIME", help="Only entries from this time on, in the local time zone.")
@click.option("--caller", metavar="CALLER", callback=utf8, help="Only of callers that begin so, as in key:5f0e.")
@click.option("--action", type=click.Choice([action.value for action in Action]), help="Only this.")
@click.option("--document", metavar="ID|PATH", callback=utf8, help="Only about this document, also if it is deleted.")
@click.option("--question", metavar="TEXT", callback=utf8, help="Only where exactly this was asked.")
@click.option("--tenant", metavar="NAME", callback=typed_name, help="Only of this tenant.")
@click.option(
    "--limit", type=click.IntRange(1, _MOST), default=DEFAULT_PAGE_SIZE, show_default=True, help="How many to show."
)
@json_option
@session_options
@pass_session
def list_entries(
    session: Session,
    *,
    since: datetime | None,
    caller: str | None,
    action: str | None,
    document: str | None,
    question: str | None,
    tenant: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the entries, newest first.

    A change has two: `begun` before it, and one that says how it ended.
    """
    with session.profile() as profile:
        wanted = WantedEntries(
            since=since.astimezone(UTC) if since is not None else None,
            caller=caller,
            action=Action(action) if action is not None else None,
            document_ids=_ids(document, profile.bucket, profile.bucket_folder) if document is not None else None,
            question=profile.audit.question(question) if question is not None else None,
            tenant=profile.audit.tenant(tenant) if tenant is not None else None,
        )
        entries = [entry_body(entry) for entry in islice(find(profile.audit_log, wanted, damaged=_say_damaged), limit)]
    if as_json:
        print_json(AuditList(entries=tuple(entries)))
    elif entries:
        print_table(COLUMNS, map(_row, entries))
    else:
        click.echo("no entries")


@command.command("verify")
@click.option("--head", "heads", metavar="HASH", multiple=True, help="A hash that the log has to have; repeatable.")
@json_option
@session_options
@pass_session
def verify_(session: Session, heads: Sequence[str], as_json: bool) -> None:
    """Check that no entry was changed, removed, inserted or moved.

    It prints the head of each chain: the hash of its last entry. Keep it on another machine and give it to a later
    check as --head. Without a head, nobody can see that the last entries were cut off.
    """
    with session.profile() as profile:
        found = verify(profile.audit_log, heads=[head.lower() for head in heads])
    if as_json:
        print_json(verification(found))
    else:
        click.echo(f"{found.entries:,} {'entry' if found.entries == 1 else 'entries'} checked")
        for head in found.heads:
            click.echo(_head(head))
    for one in found.breaks:
        place = f"entry {one.number} of the chain {one.chain}" if one.number else f"the chain {one.chain}"
        click.echo(f"broken: {visible(place)}: {one.reason}", err=True)
    for hash in found.missing:
        click.echo(f"missing: no sound entry has the hash {visible(hash)}: the end of a chain was cut off", err=True)
    if not found.is_sound:
        raise click.exceptions.Exit(1)


@command.command("export")
@session_options
@pass_session
def export(session: Session) -> None:
    """Print all entries as JSON lines, and the head of each chain on standard error.

    The hash of an entry is the SHA-256 of its line without `hash`: JSON with sorted keys, without blanks, in ASCII.
    """
    with session.profile() as profile:
        for chain in profile.audit_log.chains():
            last = None
            for last in entries_of(chain, profile.audit_log):
                click.echo(last.line())
            if last is not None:
                click.echo(_head(Head(chain, last.number, last.hash)), err=True)


def _ids(document: str, bucket: Bucket, bucket_folder: Path | None) -> frozenset[str]:
    """Those that it may mean, also if nothing is known of it any more."""
    return frozenset([*document_ids(document, bucket, bucket_folder), document])


def _say_damaged(entry: AuditEntry) -> None:
    click.echo(f"failed: entry {entry.number} of the chain {visible(entry.chain)} cannot be read.", err=True)


def _head(head: Head) -> str:
    return f"head {head.chain} {head.number} {head.hash}"


def _row(entry: AuditLine) -> tuple[str, ...]:
    details = " ".join(f"{name}={value}" for name, value in entry.details.items())
    at = when(datetime.fromisoformat(entry.at))
    return (at, entry.action, entry.outcome, entry.caller, entry.address, entry.request, entry.document, details)
