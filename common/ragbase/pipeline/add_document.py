"""Put a file into the bucket as a document of its own, and route it at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.document import Document
from ragbase.domain.errors import AlreadyExists, GenerationChanged, InvalidObject
from ragbase.domain.identity import document_id
from ragbase.domain.object_event import EventKind
from ragbase.formats.table import check_size
from ragbase.pipeline.route import route

if TYPE_CHECKING:
    from ragbase.domain.program_files import ProgramFiles
    from ragbase.ports import DocumentStore, Ports, StoredObject


@dataclass(frozen=True, slots=True)
class Added:
    """`is_new` is false if the bucket held these bytes under this name already."""

    document: Document
    is_new: bool


def add_document(
    name: str, data: bytes, *, content_type: str, metadata: Mapping[str, str], replace: bool, ports: Ports
) -> Added:
    """Write the file and return its record, which a lane works on.

    A document is a name: the same bytes give back the document that exists. Other bytes, or with `replace` other
    metadata, replace it if `replace` says so. It does not wait for the bucket's own event: that may come later, and
    changes nothing then. If the call fails half way, the same call again goes on from there.

    Raises AlreadyExists, PermanentError (FILE_TOO_LARGE) and InvalidObject, also for a file that a program keeps for
    itself (`check_program_file`).
    """
    check_program_file(name, document_id(ports.bucket.name, name), ports.documents, ports.program_files)
    check_size(len(data))
    md5 = hashlib.md5(data, usedforsecurity=False).hexdigest()
    while True:
        live = ports.bucket.stat(name)
        if live is not None and live.md5 == md5 and (not replace or live.metadata == metadata):
            return Added(_routed(live, ports), is_new=False)
        if live is not None and not replace:
            raise AlreadyExists(
                f"There is a document {name} with another content. Send replace=true to replace it, or choose another "
                "path."
            )
        try:
            stored = ports.bucket.put(
                name, data, content_type=content_type, metadata=metadata, replaces=live.generation if live else 0
            )
        except GenerationChanged:
            continue  # somebody else was faster: look again
        return Added(_routed(stored, ports), is_new=True)


def check_program_file(name: str, id: str, documents: DocumentStore, program_files: ProgramFiles) -> None:
    """Raise InvalidObject for a file that a program keeps for itself, unless it is a document already."""
    refusal = program_files.refusal(name)
    if refusal is not None:
        record = documents.get(id)
        if record is None or record.tombstone:
            raise InvalidObject(refusal)


def _routed(live: StoredObject, ports: Ports) -> Document:
    record = ports.documents.get(document_id(live.bucket, live.name))
    if record is not None and record.is_of(live.generation) and not record.needs_work:
        return record
    # Also if a call before has changed the record, and ended before it published the job.
    routed = route(live.event(EventKind.FINALISED), ports)
    if routed is None:
        raise AssertionError("only the event of a folder or of an overwritten generation leaves no record")
    return routed
