"""Read a document again that a reader of an older version has read, with entries in the audit log: only then does
anybody know where its words stand on its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.audit import Action
from ragbase.domain.errors import DocumentNotFound
from ragbase.domain.transitions import reopened
from ragbase.formats.page_image.page_image import can_be_drawn
from ragbase.pipeline.fingerprint import reader_name
from ragbase.pipeline.publish_job import ask_lanes

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.formats.extractor import FormatExtractor


def is_outdated(record: Document, shown: IndexedGeneration, extractor: FormatExtractor) -> bool:
    """Whether a lane would read the pages that search shows in another way today. A given text is no lane's."""
    if shown.given is not None or not can_be_drawn(shown.format):
        return False
    return shown.reader != reader_name(shown.format, record.config, extractor)


def reread_document(record: Document, profile: Profile) -> Document:
    """Let a lane process the document again if it is outdated; any other stays as it is. Search shows what it showed
    until that is done, and if it fails. Texts that stay the same are not embedded again. Raises DocumentNotFound."""
    tenant = profile.config.tenancy.tenant_of(record.name)
    with profile.audit.changing(Action.RETRY, record.id, tenant=tenant):
        shown = record.active
        if shown is not None and is_outdated(record, shown, profile.extractor):
            ask_lanes(record.id, reopened(shown.generation, now=profile.clock.now()), profile)
        after = profile.documents.get(record.id)
        if after is None or after.tombstone:
            raise DocumentNotFound(f"There is no document {record.id}.")
        return after
