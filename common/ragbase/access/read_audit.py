"""All entries of the audit log, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.audit import AuditEntry
    from ragbase.ports import AuditLog

_PAGE = 300


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
