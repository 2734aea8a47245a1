"""Read the audit log, page by page: one chain, all entries, or those that say what is wanted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.audit import Action, AuditEntry, time_text
from ragbase.domain.errors import MalformedMessage
from ragbase.domain.fitting_page import fitting_page
from ragbase.ports import EntryPlace

if TYPE_CHECKING:
    from ragbase.ports import AuditLog

_PAGE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedEntries:
    """What an entry has to say: all of it. None asks for nothing. `caller` may be the beginning of one, as in `key:`.
    `question` and `tenant` are marks (audit.py)."""

    since: datetime | None = None
    caller: str | None = None
    action: Action | None = None
    document_ids: Collection[str] | None = None
    question: str | None = None
    tenant: str | None = None

    def is_met_by(self, fields: dict[str, object]) -> bool:
        details = fields.get("details")
        asked = details.get("question") if isinstance(details, dict) else None
        return (
            (self.caller is None or str(fields.get("caller")).startswith(self.caller))
            and (self.action is None or fields.get("action") == self.action)
            and (self.document_ids is None or fields.get("document") in self.document_ids)
            and (self.question is None or asked == self.question)
            and (self.tenant is None or fields.get("tenant") == self.tenant)
        )


def entries_of(chain: str, log: AuditLog) -> Iterator[AuditEntry]:
    """All of a chain, in its order, as they are kept."""
    after = 0
    while page := log.chain(chain, after=after, limit=_PAGE):
        yield from page
        after = page[-1].number


def newest_first(log: AuditLog) -> Iterator[AuditEntry]:
    """Those of all chains, as they are kept."""
    before = None
    while page := log.newest(before=before, limit=_PAGE):
        yield from page
        before = page[-1]


def entry_page(
    log: AuditLog,
    wanted: WantedEntries,
    *,
    before: EntryPlace | None = None,
    limit: int,
    damaged: Callable[[AuditEntry], object],
) -> tuple[Sequence[AuditEntry], EntryPlace | None]:
    """A page of the entries, newest first (domain/fitting_page.py). `damaged` is called with one that cannot be
    read."""
    since = time_text(wanted.since) if wanted.since is not None else ""

    def fits(entry: AuditEntry) -> bool:
        try:
            return wanted.is_met_by(entry.fields())
        except MalformedMessage:
            damaged(entry)
            return False

    return fitting_page(
        lambda place, most: log.newest(before=place, limit=most),
        fits,
        lambda entry: EntryPlace(entry.at, entry.chain, entry.number),
        after=before,
        limit=limit,
        is_past=lambda entry: entry.at < since,
    )


def find(log: AuditLog, wanted: WantedEntries, *, damaged: Callable[[AuditEntry], object]) -> Iterator[AuditEntry]:
    """Newest first. `damaged` is called with an entry that cannot be read."""
    since = time_text(wanted.since) if wanted.since is not None else ""
    for entry in newest_first(log):
        try:
            fields = entry.fields()
        except MalformedMessage:
            damaged(entry)
            continue
        if entry.at < since:
            return
        if wanted.is_met_by(fields):
            yield entry
