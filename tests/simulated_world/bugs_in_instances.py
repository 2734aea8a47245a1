"""Bugs that need several jobs in an instance, several settings, a late effect or a message that is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbase.bootstrap.current_index import CurrentIndex
from ragbase.domain import identity
from ragbase.domain.document import Document
from ragbase.domain.lease import Lease
from ragbase.pipeline import copy_duplicate as copy_module
from ragbase.pipeline import make_chunks as make_module
from ragbase.pipeline import make_document as document_module
from ragbase.pipeline import publish_job as publish_module
from ragbase.pipeline.copy_duplicate import copy_duplicate
from ragbase.upkeep.reconcile import compare as compare_module
from tests.simulated_world import late_effects as late_effects_module
from tests.simulated_world.planted_bug import Patch, bug


@bug("settings-share-chunk-ids", "chunks that were made with other settings have the same ids")
def _settings_share_ids() -> Sequence[Patch]:
    right = identity.chunk_id

    def wrong(document: str, generation: int, ordinal: int, fingerprint: str) -> str:
        return right(document, generation, ordinal, "")

    return [(module, "chunk_id", wrong) for module in (make_module, copy_module)]


@bug("duplicate-of-other-settings", "chunks are copied as if the settings of this worker had made them", found_by=27)
def _duplicate_of_other_settings() -> Sequence[Patch]:
    right = copy_duplicate

    def wrong(record: Document, fingerprint: str, *, documents: Any, **named: Any) -> Any:
        def find_active(md5: str, fingerprint: str, *, tenant: str | None = None) -> Document | None:
            format = fingerprint.partition("|")[0]
            listed = documents.page(limit=100)
            same = (one for one in listed if one.active and one.active.md5 == md5)
            return next((one for one in same if one.active.fingerprint.startswith(f"{format}|")), None)

        made = right(record, fingerprint, documents=_Finding(documents, find_active), **named)
        return replace(made, fingerprint=fingerprint) if made is not None else None

    return [(document_module, "copy_duplicate", wrong)]


class _Finding:
    """The records, with another way to find a duplicate."""

    def __init__(self, documents: Any, find_active: Any) -> None:
        self._documents = documents
        self.find_active = find_active

    def __getattr__(self, name: str) -> Any:
        return getattr(self._documents, name)


@bug("surplus-not-found", "the janitor does not see that a document has more chunks than were made")
def _surplus_not_found() -> Sequence[Patch]:
    right = compare_module._of_one_generation

    def wrong(record: Document, held: Any, index: str, now: Any) -> Any:
        made = record.indexed_in(index)
        most = made.chunk_count if made is not None else 0
        return right(record, {generation: min(count, most) for generation, count in held.items()}, index, now)

    return [(compare_module, "_of_one_generation", wrong)]


@bug("lease-of-the-process", "a job takes the lease of another job in its process for its own")
def _lease_of_the_process() -> Sequence[Patch]:
    return [(Lease, "same_claim", lambda self, other: other is not None and self.worker == other.worker)]


@bug("index-remembered", "a process goes on with the index that it has opened first", found_by=6)
def _index_remembered() -> Sequence[Patch]:
    right = CurrentIndex.get

    def wrong(self: Any) -> Any:
        return self._open if self._open is not None else right(self)

    return [(CurrentIndex, "get", wrong)]


@bug(
    "late-record-written",
    "a record that was computed earlier is written although the record has changed since",
    found_by=1,
)
def _late_record_written() -> Sequence[Patch]:
    return [(late_effects_module, "_if_unchanged", lambda seen, transition: lambda record: transition(seen))]


@bug("refused-job-waits", "a document waits for a job that the publisher refuses", found_by=7)
def _refused_job_waits() -> Sequence[Patch]:
    return [(publish_module, "_fail", lambda record, *_: record)]


@bug("refused-job-not-kept", "a job that the publisher refuses leaves no dead letter", found_by=7)
def _refused_job_not_kept() -> Sequence[Patch]:
    right = publish_module._fail

    class Nowhere:
        def keep(self, dead_letter: Any) -> None:
            pass

    def wrong(record: Document, failure: Any, documents: Any, dead_letters: Any, clock: Any) -> Document:
        nowhere: Any = Nowhere()
        return right(record, failure, documents, nowhere, clock)

    return [(publish_module, "_fail", wrong)]
