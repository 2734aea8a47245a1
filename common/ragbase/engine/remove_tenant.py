"""Delete a whole tenant: its objects, its documents, and its partition of every index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.name_forms import nfc, nfd
from ragbase.domain.tenant import first_folder
from ragbase.engine.remove import remove
from ragbase.pipeline.remove_stale_chunks import remove_part_texts, remove_stale_chunks
from ragbase.pipeline.route import follow_bucket
from ragbase.ports import Bucket, StoredObject
from ragbase.upkeep.tenants import records_of

_PAGE = 500
"""Objects that are deleted together, before anybody waits for the pipeline."""

_ROUNDS = 3
"""Such pages that may come on top of what there was in the beginning."""


@dataclass(slots=True)
class RemovedTenant:
    """How many objects and documents were deleted, and from how many indexes the tenant's partition was removed."""

    objects: int = 0
    documents: int = 0
    partitions: int = 0


def remove_tenant(tenant: str, profile: Profile) -> RemovedTenant:
    """Delete everything that the tenant has, and return once no search shows any of it and its chunks are gone.

    Documents are deleted as anybody deletes them, through the bucket, so that the deletion is complete wherever it is
    interrupted: the next call goes on. Only then is the partition removed, with what nobody knew of. Nobody may upload
    to this tenant meanwhile: the chunks of such a document would be lost until the janitor has made them again. Raises
    TransientError if somebody goes on with it.
    """
    removed = RemovedTenant()
    most = _PAGE * _ROUNDS + sum(1 for _ in _objects(tenant, profile.bucket))
    while page := list(islice(_objects(tenant, profile.bucket), _PAGE)):
        if removed.objects >= most:
            raise TransientError(
                f"{removed.objects:,} objects of the tenant {tenant!r} were deleted, and somebody goes on to upload "
                "others. Stop that, and run the same command again."
            )
        records = profile.documents.get_many([document_id(one.bucket, one.name) for one in page])
        live = [record for record in records.values() if not record.tombstone]
        known = {record.name for record in live}
        remove(live, profile)
        profile.bucket.delete_many({one.name: None for one in page if one.name not in known})
        removed.objects += len(page)
        removed.documents += len(live)
    removed.documents += _remove_records(tenant, profile)
    for index in profile.indexes.all():
        if index.is_split:
            for form in dict.fromkeys((nfc(tenant), nfd(tenant))):  # an older version kept names as they came
                profile.indexes.drop_tenant(index, form)
            removed.partitions += 1
    telemetry.log("tenant.removed", objects=removed.objects, documents=removed.documents)
    return removed


def _objects(tenant: str, bucket: Bucket) -> Iterator[StoredObject]:
    listed = bucket.list(f"{tenant}/" if tenant else "")
    return (one for one in listed if first_folder(one.name) == nfc(tenant))


def _remove_records(tenant: str, profile: Profile) -> int:
    """Let the records follow the bucket whose objects are gone, although no event has said so."""
    left = [record for record in records_of(tenant, profile.documents, profile.bucket.name) if not record.tombstone]
    for record in left:
        after = follow_bucket(record, profile.bucket.stat(record.name), profile)
        vectors = profile.open_index().vectors_of(record.name)
        now, texts, boxes = profile.clock.now(), profile.texts, profile.word_boxes
        remove_stale_chunks(after, record.wanted, profile.documents, vectors, texts=texts, boxes=boxes, now=now)
        remove_part_texts(after, record.wanted, profile.part_texts)
    return len(left)
