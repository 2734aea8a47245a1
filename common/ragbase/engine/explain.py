"""Say at which stage a search loses a document of the profile, or where it shows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.domain.name_forms import nfc
from ragbase.engine.explain_document import explain_document
from ragbase.engine.identify import document_ids
from ragbase.engine.left_out import left_out
from ragbase.sources.folder import object_name

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.domain.question import Question
    from ragbase.retrieval.explain.explanation import Explanation


def explain(
    question: Question,
    identifier: str,
    profile: Profile,
    *,
    tenant: str | None = None,
) -> Explanation:
    """The stage that loses the document, which is named by its id, its name in the bucket, the path that it was
    ingested from, or its address in another source. The errors are those of `search`."""
    name, record = _identified(identifier, profile)
    return explain_document(
        question,
        name,
        record,
        profile,
        tenant=tenant,
        left_out=left_out(identifier, profile) if record is None or record.tombstone else None,
    )


def _identified(identifier: str, profile: Profile) -> tuple[str, Document | None]:
    """The document's name in the bucket and its record. Without a record, the name that the bucket has."""
    ids = document_ids(identifier, profile.bucket, profile.bucket_folder)
    records = profile.documents.get_many(ids)
    known = sorted((records[id] for id in ids if id in records), key=lambda record: record.tombstone)
    if known:
        return known[0].name, known[0]
    names = list(dict.fromkeys((nfc(identifier), object_name(Path(identifier), profile.bucket_folder))))
    if not profile.bucket.stat_many(names):
        profile.look_at_bucket()  # a folder may hold a file that nothing has seen yet
    return next(iter(profile.bucket.stat_many(names)), identifier), None
