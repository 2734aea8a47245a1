"""The rows of the CSV file in the vector store: replaced as a whole, and searched."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.csv_service.calibrate_rows import calibrate_rows
from ragbase.csv_service.cut_parts import RowText, cut_parts
from ragbase.csv_service.loaded_rows import LoadedRows, Unshown, Version
from ragbase.csv_service.one_loader import OneLoader
from ragbase.csv_service.remove_unshown import remove_unshown
from ragbase.csv_service.search_rows import RowSearch
from ragbase.csv_service.write_texts import VERSION, write_texts
from ragbase.domain.index import Index, index_of
from ragbase.pipeline.fingerprint import index_fingerprint
from ragbase.ports import OpenIndex
from ragbase.retrieval.calibrations import Calibrations

if TYPE_CHECKING:
    from ragbase.csv_service.csv_document import FoundRows
    from ragbase.ports import Checkpoints, Clock, Embedder, Indexes

_PROGRESS = 10_000
"""Rows between two lines of the log."""


class RowStore:
    """Search shows the rows of one version of the file, all of them and no others, at every moment.

    To replace them, the texts that are new are written beside those that are shown. Then one write names the rows of
    the new version, and after that the texts that no row has any more are removed. If this is interrupted anywhere, the
    version before is shown, and the next call goes on.
    """

    def __init__(
        self,
        *,
        checkpoints: Checkpoints,
        indexes: Indexes,
        embedder: Embedder,
        embedder_for: Callable[[Index], Embedder],
        chunker: MarkdownChunker,
        language: str,
        clock: Clock,
        owner: str,
        wait: Callable[[float], object] = time.sleep,
    ) -> None:
        """`embedder` and `language` are those of the settings. `embedder_for` gives the embedder of an index that was
        made with another model. `owner` names this process, and no other; `wait` waits for so many seconds."""
        self.clock = clock
        self._indexes = indexes
        self._embedder = embedder
        self._embedder_for = embedder_for
        self._chunker = chunker
        self._language = language
        self._loaded = LoadedRows(checkpoints)
        self._calibrations = Calibrations(lambda: checkpoints)
        self._loader = OneLoader(checkpoints, clock, owner, wait)
        self._search = RowSearch(self._loaded, self._open)
        self._opening = threading.Lock()
        self._opened: OpenIndex | None = None

    def connect(self) -> None:
        """Raises Unavailable if the vector store does not answer."""
        self._indexes.all()

    @property
    def version(self) -> Version | None:
        """The rows that search shows; None before the first load."""
        return self._loaded.version()

    @property
    def made_with(self) -> str:
        """Names what decides the chunks and vectors of a text."""
        return f"{VERSION}|{index_fingerprint(self._chunker, self._embedder.model, self._language)}"

    def alone(self) -> AbstractContextManager[None]:
        """Wait until no other process loads rows, and keep it so while the context is entered."""
        return self._loader.alone()

    def replace(
        self, rows: Iterable[RowText], *, fingerprint: str, source: str, is_complete: Callable[[], bool]
    ) -> bool:
        """Show these rows instead of all others. Their numbers have to grow.

        `fingerprint` names the file and how it is read, `source` is the file for people. `is_complete` is asked at the
        end: if the rows are not those of the fingerprint, because the file has changed meanwhile, nothing is shown, and
        False is returned. What was written is kept: the next call does not embed it again. An exception has the same
        effect.
        """
        with self._loader.alone():
            before = self._loaded.version()
            index = self._open(self._index_for(before))
            unshown = self._loaded.unshown()
            mine = unshown.setdefault(index.index.name, Unshown(index.index))
            if before is not None:
                unshown.setdefault(before.index.name, Unshown(before.index)).add(part.id for part in before.parts)
            parts, count = [], 0
            known = set(mine.done)
            for cut in cut_parts(rows, index.index.name):
                self._loader.check()
                if cut.part.id not in known:
                    mine.begin(cut.part.id)
                    self._loaded.save_unshown(unshown.values())
                    self._loaded.save_part(cut)
                    write_texts(cut.contents, index, self._chunker, before_write=self._loader.check)
                    mine.finish(cut.part.id)
                    known.add(cut.part.id)
                parts.append(cut.part)
                if (count + cut.rows) // _PROGRESS > count // _PROGRESS:
                    self._log("csv.loading", source, count + cut.rows)
                count += cut.rows
            if not is_complete():
                return False
            if count:
                calibrate_rows(index, self._calibrations, self.clock)
            self._loader.check()
            self._loaded.save_unshown(unshown.values())
            if before is None or before.index != index.index:
                self._indexes.make_current(index.index)  # a store may refuse to drop others while it has none
            version = Version(
                index=index.index,
                made_with=self.made_with,
                fingerprint=fingerprint,
                source=source,
                loaded_at=self.clock.now().isoformat(),
                rows=count,
                parts=tuple(parts),
            )
            self._loaded.show(version)
            self._log("csv.loaded", source, count)
            self._remove_unshown()
            if before is not None and before.index != index.index:
                self._calibrations.forget(before.index.name)
            return True

    def tidy(self) -> None:
        """Remove what an interrupted call of `replace` or `clear` has left of the rows before."""
        with self._loader.alone():
            self._remove_unshown()

    def put_away(self) -> None:
        """Show nothing, but keep what is there: if the same rows come again, no text is embedded again."""
        with self._loader.alone():
            self._hide()

    def clear(self) -> None:
        """Show nothing, and remove everything."""
        with self._loader.alone():
            self._hide()
            self._remove_unshown()

    def search(self, query: str, *, top_k: int, threshold: float) -> FoundRows:
        """At most `top_k` rows that score at least `threshold`, best first, all of one version of the file. The list is
        empty if no row has to do with the query. It then says which were nearest. Equal rows are shown once, as the
        first of them."""
        return self._search.search(query, top_k=top_k, threshold=threshold)

    def _log(self, action: str, source: str, rows: int) -> None:
        telemetry.log(action, f"{source}: {rows} rows are in the vector store.", source=source, rows=rows)

    def _hide(self) -> None:
        version = self._loaded.version()
        if version is not None and version.parts:
            unshown = self._loaded.unshown()
            unshown.setdefault(version.index.name, Unshown(version.index)).add(part.id for part in version.parts)
            self._loaded.save_unshown(unshown.values())
        if version is not None:
            self._loaded.show(replace(version, fingerprint="", rows=0, parts=()))

    def _remove_unshown(self) -> None:
        remove_unshown(self._loaded, self._indexes, self._open, before_remove=self._loader.check)

    def _index_for(self, version: Version | None) -> Index:
        """The index for new texts: the one that is shown, unless settings have changed. No name is used twice, as other
        processes may still know what was in an index of that name."""
        if version is not None and version.made_with == self.made_with:
            return version.index
        return index_of(
            self.made_with,
            model=self._embedder.model,
            dimension=self._embedder.dimension,
            language=self._language,
            replaces=version.index.name if version is not None else "",
        )

    def _open(self, index: Index) -> OpenIndex:
        """With the embedder that the index was made with."""
        with self._opening:
            opened = self._opened
            if opened is None or opened.index != index:
                mine = (index.model, index.dimension) == (self._embedder.model, self._embedder.dimension)
                embedder = self._embedder if mine else self._embedder_for(index)
                opened = OpenIndex(index, self._indexes, embedder, lambda: self._calibrations.of(index))
                opened.create()
                self._opened = opened
            return opened
