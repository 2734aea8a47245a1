"""Images of the pages of documents, and their sizes: made when somebody first asks for one, and kept while there is
room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragbase.domain.errors import TransientError
from ragbase.formats.page_image.page_image import can_be_drawn

if TYPE_CHECKING:
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.formats.extractor import FormatExtractor
    from ragbase.formats.page_image.page_image import PageSize
    from ragbase.ports import Bucket

ROOM = 32 * 1024 * 1024
"""Bytes of images that a process keeps: some 200 pages."""
DRAWN_TOGETHER = 2
"""Pages. Each may take MEMORY (formats/page_image/page_image.py), and a processor. One caller draws one at a time, so
that pages which take long hold up nobody else."""
MEASURED = 100
"""Documents whose pages' sizes a process keeps: 160 KB for each at most, with 10,000 pages."""
PATIENCE = 2.0
"""Seconds that a request waits for its turn to draw: it keeps a thread from others."""

_Key = tuple[str, int, int, int]


class PageImages:
    """Those of one process. Any thread may use them."""

    def __init__(self, bucket: Bucket, extractor: FormatExtractor) -> None:
        self._bucket = bucket
        self._extractor = extractor
        self._images: OrderedDict[_Key, bytes] = OrderedDict()
        self._sizes: OrderedDict[tuple[str, int], tuple[PageSize, ...]] = OrderedDict()
        self._room = ROOM
        self._lock = threading.Lock()
        self._drawing: set[str] = set()
        self._turn_is_free = threading.Condition()

    def image(self, record: Document, shown: IndexedGeneration, page: int, width: int, *, caller: str) -> bytes | None:
        """A PNG of a page of the file whose text search shows; None if there is no such page, or the format has none
        that can be drawn. Pages are counted from 1. `caller` names who asks.

        Raises GenerationGone if the bucket has other bytes by now, PermanentError if the page cannot be drawn,
        TransientError if too many pages are being drawn, and MissingExtra.
        """
        if not can_be_drawn(shown.format):
            return None
        key = (record.id, shown.of_file, page, width)
        kept = self._kept(key)
        if kept is not None:
            return kept
        with self._turn(caller):
            kept = self._kept(key)  # somebody else may have wanted the same page
            if kept is None:
                data = self._bucket.read(record.name, shown.of_file)
                kept = self._extractor.page_image(data, shown.format, page, width)
        if kept is not None:
            self._keep(key, kept)
        return kept

    def sizes(self, record: Document, shown: IndexedGeneration, *, caller: str) -> tuple[PageSize, ...]:
        """Those of the pages that `image` draws; none for a format without such pages. Raises as `image`."""
        if not can_be_drawn(shown.format):
            return ()
        key = (record.id, shown.of_file)
        with self._lock:
            found = self._sizes.get(key)
        if found is None:
            with self._turn(caller):
                found = self._extractor.page_sizes(self._bucket.read(record.name, shown.of_file), shown.format)
        with self._lock:
            self._sizes[key] = found
            self._sizes.move_to_end(key)
            if len(self._sizes) > MEASURED:
                self._sizes.popitem(last=False)
        return found

    @contextmanager
    def _turn(self, caller: str) -> Iterator[None]:
        def is_free() -> bool:
            return caller not in self._drawing and len(self._drawing) < DRAWN_TOGETHER

        with self._turn_is_free:
            if not self._turn_is_free.wait_for(is_free, PATIENCE):
                raise TransientError("Too many pages are being drawn.")
            self._drawing.add(caller)
        try:
            yield
        finally:
            with self._turn_is_free:
                self._drawing.remove(caller)
                self._turn_is_free.notify_all()

    def _kept(self, key: _Key) -> bytes | None:
        with self._lock:
            if key in self._images:
                self._images.move_to_end(key)
            return self._images.get(key)

    def _keep(self, key: _Key, image: bytes) -> None:
        with self._lock:
            self._room += len(self._images.pop(key, b"")) - len(image)
            self._images[key] = image
            while self._room < 0:
                _, oldest = self._images.popitem(last=False)
                self._room += len(oldest)
