"""What has vanished from a source, kept until the run has seen all of the source: texts of a bounded size.

The state of the run says how many pages count. A slice that dies has written pages that do not count, and the next one
writes them again. A process that lost its lease cannot overwrite them: each page says which slice wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ragbase.domain.errors import Busy
from ragbase.ports import Checkpoints
from ragbase.sources.sync import Vanished

_MOST = 200_000
"""Characters of a page, but for its last line. Firestore takes a MiB of UTF-8."""


class VanishedPages:
    def __init__(self, checkpoints: Checkpoints, source: str, *, slice: int, count: int) -> None:
        """`count` pages are there already."""
        self.count = count
        self._checkpoints = checkpoints
        self._source = source
        self._slice = slice
        self._lines: list[str] = []
        self._size = 0

    def add(self, vanished: Vanished) -> None:
        line = json.dumps(vanished)
        self._lines.append(line)
        self._size += len(line)
        if self._size >= _MOST:
            self.flush()

    def flush(self) -> None:
        """Write what was added. Raises Busy if another process works on the source."""
        if not self._lines:
            return
        text = "\n".join([str(self._slice), *self._lines])

        def change(before: str | None) -> str:
            is_newer = before is not None and int(before.partition("\n")[0]) > self._slice
            return before if is_newer and before is not None else text

        if self._checkpoints.update(self._place(self.count), change) != text:
            raise Busy(f"Another process has taken over the source {self._source}, and goes on with it.")
        self.count += 1
        self._lines.clear()
        self._size = 0

    def read(self, page: int) -> Iterator[Vanished]:
        text = self._checkpoints.load(self._place(page)) or ""
        return (Vanished(*json.loads(line)) for line in text.split("\n")[1:])

    def clear(self) -> None:
        """Remove all pages, those that never counted, too. The last one goes first: a clearing that is killed leaves no
        gap behind which a later one would find no more."""
        count = 0
        while self._checkpoints.load(self._place(count)) is not None:
            count += 1
        for page in reversed(range(count)):
            self._checkpoints.save(self._place(page), None)

    def _place(self, page: int) -> str:
        return f"source-{self._source}.vanished-{page}"
