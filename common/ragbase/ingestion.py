"""Local files go through the whole pipeline, and each is told how it ended."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ragbase.bootstrap import Profile
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import RagbaseError
from ragbase.domain.identity import document_id
from ragbase.domain.job import MIN_TEXT_LENGTH_KEY, SOURCE_KEY
from ragbase.ports import StoredObject
from ragbase.sources.folder import LocalFile, object_name, upload

_UPLOADERS = 4
"""Files put into the bucket at once: enough to keep the disk busy while others wait for it."""

_LOOK_AGAIN = 1.0
"""Seconds after which records are read again although nothing was heard: another process may have done the work."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a file ended. `error` names the file, the rule and the remedy, and is None where the document is COMPLETED.

    `unchanged` tells that the index already held exactly this file, so that nothing was done.
    """

    source: str
    document: Document | None
    error: str | None = None
    unchanged: bool = False


def ingest(
    files: Sequence[LocalFile], profile: Profile, *, min_text_length: int = 1
) -> Iterator[Outcome]:
    """Upload files and yield each one's outcome as soon as it has settled, in no particular order.

    Leaving the iteration early loses nothing: what was uploaded goes on when the pipeline next runs in this data folder.
    A file that an earlier run had FAILED is tried again.
    """
    ingestion = _Ingestion(profile, min_text_length)
    changed = []
    for file, record in ingestion.look(files):
        if record is None:
            changed.append(file)
        else:
            yield Outcome(file.source, record, unchanged=True)
    if changed:
        yield from ingestion.run(changed)


@dataclass(frozen=True, slots=True)
class _Uploaded:
    """What became of one upload: an object, or the reason why there is none."""

    file: LocalFile
    object: StoredObject | None
    error: str | None = None
