"""Bring one entry of a source into the bucket, in a thread of its own."""

from __future__ import annotations

import hashlib
import threading
from contextlib import ExitStack
from dataclasses import replace

from ragbase.domain.errors import EntryChanged, GenerationChanged, RagbaseError, TransientError, UnreadableFile
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.domain.object_name import check_object
from ragbase.formats.file_selection import FileSelection
from ragbase.formats.plain_text import HEAD
from ragbase.formats.table import check_size
from ragbase.ports import Bucket, SourceEntry
from ragbase.sources.brought import MARK_KEY, BroughtBy
from ragbase.sources.sync_step import SourceChange, SyncStep

_SMALL = 8 * 1024 * 1024
"""Bytes that each worker may hold. Larger files are brought one after another, so that all workers together hold no
more than eight times this and one file of the largest size."""

_TOO_LARGE = LeftOutFile(
    one="large file of an unknown kind",
    many="large files of unknown kinds",
    reason="No file over 50 MB is read, and its name says no format: split it, if it is text.",
)


class Bringer:
    """Uploads entries of a source, for several threads at once."""

    def __init__(self, by: BroughtBy, bucket: Bucket, selection: FileSelection, *, dry_run: bool) -> None:
        self._by = by
        self._bucket = bucket
        self._selection = selection
        self._dry_run = dry_run
        self._large = threading.Lock()

    def bring(self, entry: SourceEntry, step: SyncStep) -> SyncStep:
        """Upload the entry, which is new or may be changed, unless its content is none that is read."""
        try:
            check_object(step.name, {})
            with ExitStack() as held:
                read = self._read(entry, held, look=step.stored is None and self._selection.needs_look(entry.name))
                if isinstance(read, LeftOutFile):
                    return replace(step, change=SourceChange.LEFT_OUT, left_out=read)
                return self._put(read, entry, step)
        except TransientError:
            raise
        except (UnreadableFile, EntryChanged) as error:
            return replace(step, change=SourceChange.FAILED, error=str(error))
        except RagbaseError as error:
            return replace(step, change=SourceChange.FAILED, error=f"{step.source}: {error}")
        except Exception as error:  # noqa: BLE001 - one bad file does not stop the others; its step says why
            return replace(step, change=SourceChange.FAILED, error=f"{step.source}: {type(error).__name__}: {error}")

    def _read(self, entry: SourceEntry, held: ExitStack, *, look: bool) -> bytes | LeftOutFile:
        """The bytes of the entry. With `look`, its beginning decides first whether it is taken."""
        if look and (entry.size or 0) > MAX_FILE_SIZE:
            return _TOO_LARGE
        check_size(entry.size or 0)
        is_large = (entry.size or 0) > _SMALL
        if is_large:
            held.enter_context(self._large)
        blocks: list[bytes] = []
        size = 0
        for block in self._by.source.read(entry):
            size += len(block)
            blocks.append(block)
            if look and size >= HEAD:
                look = False
                refused = self._selection.left_out(entry.name, b"".join(blocks)[:HEAD])
                if refused is not None:
                    return refused
            check_size(size)
            if size > _SMALL and not is_large:
                is_large = True
                held.enter_context(self._large)
        data = b"".join(blocks)
        return (self._selection.left_out(entry.name, data) if look else None) or data

    def _put(self, data: bytes, entry: SourceEntry, step: SyncStep) -> SyncStep:
        if step.stored is not None and not self._by.has(step.stored):  # it is taken over
            is_same = hashlib.md5(data, usedforsecurity=False).hexdigest() == step.stored.md5
            step = replace(step, change=SourceChange.UNCHANGED if is_same else SourceChange.CHANGED)
        if self._dry_run:
            return step
        while True:
            metadata = self._by.metadata(data, entry, step.source, step.stored)
            replaces = step.stored.generation if step.stored else 0
            try:
                return replace(step, stored=self._bucket.put(step.name, data, metadata=metadata, replaces=replaces))
            except GenerationChanged:
                live = self._bucket.stat(step.name)
            step = replace(step, stored=live)
            if live is not None and not (self._by.has(live) or self._by.takes_over(live, entry)):
                return taken(step)
            if live is not None and live.metadata.get(MARK_KEY) == entry.mark:
                return replace(step, change=SourceChange.UNCHANGED)  # another sync of this source was faster


def taken(step: SyncStep) -> SyncStep:
    """The name belongs to somebody else."""
    return replace(
        step,
        change=SourceChange.FAILED,
        error=f"{step.source}: {step.name} in the bucket is somebody else's: this source did not bring it, or it was "
        "changed there. Delete it in the bucket, or sync to another folder with --prefix.",
    )
