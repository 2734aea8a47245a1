"""Find the rows that answer a question, all of one version of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any

from ragbase.csv_service.csv_document import CsvDocument, FoundRows, NearRow
from ragbase.csv_service.loaded_rows import LoadedRows, version_of
from ragbase.csv_service.shown_rows import PartGone, ShownRows
from ragbase.domain.errors import IndexGone, Unavailable
from ragbase.domain.index import Index
from ragbase.ports import OpenIndex
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult

_ROUNDS = 5
"""How many versions one query asks at most. Only a switch during each round needs more than two."""
_REMEMBERED = 64
"""Parts whose metadata stay in memory, of at most 200,000 characters each. Results of one query are in a few."""

_MOST_EQUAL = 100
"""Of so many rows with the same text, those with different metadata are shown."""


class RowSearch:
    """Searches the version that is shown, and follows every switch, whichever process makes it."""

    def __init__(self, loaded: LoadedRows, open_index: Callable[[Index], OpenIndex]) -> None:
        self._loaded = loaded
        self._open_index = open_index
        self._known: tuple[str, ShownRows] | None = None
        self._fields = lru_cache(_REMEMBERED)(self._fields_of_part)

    def search(self, query: str, *, top_k: int, threshold: float) -> FoundRows:
        """As RowStore.search. If another version is shown by the end, that one is searched instead: texts of the one
        before may have been removed meanwhile."""
        text = self._loaded.version_text()
        for _ in range(_ROUNDS):
            found: FoundRows | None = None
            with suppress(IndexGone, PartGone):
                found = self._search(text, query, top_k, threshold)
            before, text = text, self._loaded.version_text()
            if found is not None and text == before:
                return found
        raise Unavailable("The rows are replaced faster than they can be searched. Ask again.")

    def _search(self, text: str | None, query: str, top_k: int, threshold: float) -> FoundRows:
        shown = self._shown(text)
        if shown is None or not shown.version.rows:
            return FoundRows()
        index = self._open_index(shown.version.index)
        results = search_one_index(
            query,
            chunks=ActiveChunks(index.vectors(), shown),
            embedder=index.embedder,
            top_k=top_k,
            threshold=threshold,
            language=index.index.language,
            fitted=index.fitted(),
            group_versions=False,
        )
        miss = results.near_miss
        nearest = (
            [NearRow(min(shown.rows_of(one.document.id)), one.score, one.lacks) for one in miss.passages]
            if miss
            else ()
        )
        return FoundRows(islice(self._documents(results, shown), top_k), nearest)

    def _shown(self, text: str | None) -> ShownRows | None:
        known = self._known
        if text is None:
            return None
        if known is None or known[0] != text:
            known = self._known = (text, ShownRows(version_of(text), self._loaded))
        return known[1]

    def _documents(self, results: Sequence[SearchResult], shown: ShownRows) -> Iterator[CsvDocument]:
        """The rows that have the texts, each row as often as different passages of it were found."""
        version = shown.version
        for result in results:
            seen: list[dict[str, Any]] = []
            rows = {row for source in result.sources for row in shown.rows_of(source.document.id)}
            for row in sorted(rows)[:_MOST_EQUAL]:
                fields = self._fields_of(row, shown)
                if fields not in seen:
                    seen.append(fields)
                    metadata = {**fields, "source": version.source, "row": row, "timestamp": version.loaded_at}
                    yield CsvDocument(content=result.chunk.text, metadata=metadata, similarity_score=result.score)

    def _fields_of(self, row: int, shown: ShownRows) -> dict[str, Any]:
        part, place = shown.place_of(row)
        return self._fields(part)[place] or {}

    def _fields_of_part(self, part: str) -> list[dict[str, Any] | None]:
        fields = self._loaded.fields(part)
        if fields is None:
            raise PartGone("The rows are being replaced.")
        return fields
