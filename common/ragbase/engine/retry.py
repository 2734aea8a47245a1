"""Process a document again on somebody's wish, with entries in the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.audit import Action
from ragbase.upkeep.retry import retry

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


def retry_document(record: Document, profile: Profile) -> Document:
    """As upkeep/retry.py does it. Raises DocumentNotFound."""
    tenant = profile.config.tenancy.tenant_of(record.name)
    with profile.audit.changing(Action.RETRY, record.id, tenant=tenant):
        return retry(record.id, profile)
