"""Files of this machine become documents of a deployment, over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from ragbase.domain.document import Status
from ragbase.domain.errors import RagbaseError
from ragbase.interfaces.knowledge.deployment_knowledge import DEPLOYMENT_GOES_ON, PROCESSING_SECONDS, remote_name
from ragbase.interfaces.knowledge.problem import problem_of

if TYPE_CHECKING:
    from ragbase.client.client import Client
    from ragbase.domain.cause import Cause
    from ragbase.sources.folder import LocalFile

_LOOK = 2.0
"""Seconds of one look at a document that was sent."""
_UPLOADERS = 4


@dataclass(frozen=True, slots=True)
class Sent:
    """How a file ended on a server (ingestion.py, Ingested)."""

    source: str
    chunks: int | None
    error: str | None = None
    unchanged: bool = False
    read_again: Sequence[Cause] = ()
    embedded_texts: int | None = None
    notes: Sequence[str] = ()


class DeploymentIngestion:
    """Implements Ingestion. The deployment knows what it reads, and calibrates its index itself."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def missing(self, formats: Collection[str]) -> None:
        return None

    def bring(self, files: Sequence[LocalFile], formats: Collection[str]) -> None:
        """The deployment has what it reads with."""

    def documents_among(self, files: Sequence[LocalFile]) -> Sequence[LocalFile]:
        names = {document.filename for document in self._client.list()} if files else set()
        return [file for file in files if remote_name(file.source) in names]

    def run(self, files: Sequence[LocalFile]) -> Iterator[Sent]:
        stopping = Event()
        with ThreadPoolExecutor(_UPLOADERS) as pool:
            sending = [pool.submit(_send, file, self._client, stopping) for file in files]
            try:
                for done in as_completed(sending):
                    yield done.result()
            finally:  # after Ctrl-C, nobody waits for the rest
                stopping.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def finish(self, *, quiet: bool) -> Sequence[str]:
        return ()


def _send(file: LocalFile, client: Client, stopping: Event) -> Sent:
    try:
        with file.open() as stream:
            uploaded = client.upload(stream, path=remote_name(file.source), replace=True)
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
        problem_of(state, goes_on=DEPLOYMENT_GOES_ON),
        unchanged=is_unchanged,
        notes=() if is_unchanged else state.notes or (),
    )
