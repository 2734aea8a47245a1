"""Which documents a tenant sees: its own. To others, they are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


def seen_document(id: str, profile: Profile, *, tenant: str | None) -> Document | None:
    """The document's record, as this tenant sees it; with None, as who sees all. None if there is no document, or it is
    deleted, or another tenant's: these cannot be told apart."""
    record = profile.documents.get(id)
    if record is None or record.tombstone or tenant not in (None, profile.config.tenancy.tenant_of(record.name)):
        return None
    return record
