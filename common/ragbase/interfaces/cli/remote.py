"""What commands do with a deployment, over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from ragbase.client.answers import DocumentState
from ragbase.client.client import Client
from ragbase.client.errors import ApiError
from ragbase.domain.document import Status
from ragbase.domain.errors import DocumentNotFound, RagbaseError
from ragbase.sources.folder import LocalFile

PROCESSING_SECONDS = 600.0
"""How long a command waits for a document. Its work goes on afterwards."""
_LOOK = 2.0
"""Seconds of one look at a document that was sent."""
_UPLOADERS = 4
_NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Sent:
    """How a file ended on a server (engine/ingest.py, Outcome)."""

    source: str
    chunks: int | None
    error: str | None = None
    unchanged: bool = False
    notes: Sequence[str] = ()


def not_found(identifier: str) -> DocumentNotFound:
    return DocumentNotFound(f"{identifier}: there is no such document. `ragbase list` shows the ids and the paths.")


def remote_name(path: str) -> str:
    """The name on a server of a file or folder of this machine: its path below the current folder. Of a path elsewhere,
    it is the whole one, without the slash in front."""
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.absolute keeps '..', Path.resolve follows links
    return os.path.relpath(absolute) if Path(absolute).is_relative_to(Path.cwd()) else absolute.lstrip("/")


def remote_document(identifier: str, client: Client) -> DocumentState:
    """The document with this id or name. Raises DocumentNotFound. A name is looked up in the whole list."""
    try:
        return client.get(identifier)
    except ApiError as error:
        if error.status != _NOT_FOUND:
            raise
    except ValueError:
        pass  # it cannot be an id
    names = (identifier, remote_name(identifier))
    listed = next((document for document in client.list() if document.filename in names), None)
    if listed is None:
        raise not_found(identifier)
    return client.get(listed.id)


def remote_problem(state: DocumentState) -> str | None:
    """Why the document did not end well; None if it did."""
    if not state.is_settled:
        reason = f": {state.fail_reason}" if state.fail_reason else ""
        return f"{state.filename}: not processed yet; the deployment goes on with it{reason}"
    return f"{state.filename}: {state.fail_reason}" if state.fail_reason else None


def delete_remote(identifiers: Sequence[str], client: Client) -> dict[str, Any]:
    """As RAGEngine.delete."""
    deleted: dict[str, str] = {}
    missing = []
    for identifier in dict.fromkeys(identifiers):
        try:
            found = remote_document(identifier, client)
        except DocumentNotFound:
            missing.append(identifier)
            continue
        client.delete(found.id)
        deleted[identifier] = found.id
    return {"deleted_count": len(set(deleted.values())), "deleted_ids": list(deleted), "not_found_ids": missing}


def ingest_remote(files: Sequence[LocalFile], client: Client) -> Iterator[Sent]:
    """Send files and yield the outcome of each as soon as it has settled, in no particular order. Changed files replace
    those before them."""
    stopping = Event()
    with ThreadPoolExecutor(_UPLOADERS) as pool:
        sending = [pool.submit(_send, file, client, stopping) for file in files]
        try:
            for done in as_completed(sending):
                yield done.result()
        finally:  # after Ctrl-C, nobody waits for the rest
            stopping.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _send(file: LocalFile, client: Client, stopping: Event) -> Sent:
    try:
        uploaded = client.upload(file.path, path=remote_name(file.source), replace=True)
        if not uploaded.is_new and uploaded.status is Status.FAILED:
            client.retry(uploaded.id)
        for _ in range(round(PROCESSING_SECONDS / _LOOK)):
            state = client.wait(uploaded.id, _LOOK)
            if state.is_settled or stopping.is_set():
                break
    except RagbaseError as error:
        return Sent(file.source, None, f"{file.source}: {error}")
    except OSError as error:
        return Sent(file.source, None, f"{file.source}: it cannot be read: {error.strerror}. Correct that.")
    is_unchanged = not uploaded.is_new and uploaded.status is Status.COMPLETED
    return Sent(
        file.source,
        state.chunk_count,
        remote_problem(state),
        unchanged=is_unchanged,
        notes=() if is_unchanged else state.notes or (),
    )
