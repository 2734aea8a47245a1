"""Give each result the text around it: its section, its page or its document, within a budget of tokens.

The passage stays what it is, and its place is cited. Only what search shows is read: chunks of the generation that is
active, of a document that the filter allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.chunking.tokens import TOKENS
from ragbase.domain.chunk import joined_text
from ragbase.domain.context import Context, Expand, Expansion
from ragbase.retrieval.context import ChunksOf
from ragbase.retrieval.overlap import text_of

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.retrieval.active_chunks import ActiveChunks
    from ragbase.retrieval.search_result import SearchResult

_AT_A_TIME = 16
"""Chunks read at once, before or after a passage: some 4,000 tokens of the default size."""
_MOST_CHUNKS = 512
"""Chunks read on each side of a passage at most. Only a table of tiny rows has more in a budget."""


def with_contexts(
    results: Sequence[SearchResult],
    expansion: Expansion,
    *,
    chunks_of: ChunksOf,
    within: SearchFilter | None = None,
) -> list[SearchResult]:
    """The same results, each with its context. One whose passage stands in the context of a result above it has none of
    its own: `context_of` is the rank of that one. So does one whose document shows another text by now have none.

    A document without pages has no page: its section is given instead.
    """
    given: list[SearchResult] = []
    for result in results:
        holder = next((one for one in given if _holds(one, result.chunk)), None)
        if holder is not None:
            given.append(replace(result, context_of=holder.rank))
        else:
            context = _context(result.chunk, chunks_of(result.document), expansion, within)
            given.append(replace(result, context=context))
    return given


def _holds(result: SearchResult, chunk: Chunk) -> bool:
    context = result.context
    return (
        context is not None
        and text_of(result.chunk) == text_of(chunk)
        and context.char_start <= chunk.char_start
        and chunk.char_end <= context.char_end
    )


def _context(chunk: Chunk, chunks: ActiveChunks, expansion: Expansion, within: SearchFilter | None) -> Context | None:
    first = max(chunk.ordinal - _AT_A_TIME, 0)
    window = chunks.part_of(chunk, first=first, limit=chunk.ordinal - first + 1 + _AT_A_TIME)
    if chunk not in window:
        return None
    place, belongs = window.index(chunk), _BELONGS[expansion.expand](chunk)
    before, starts = _side(_backwards(window[:place], chunk, chunks), belongs, expansion.tokens)
    after, ends = _side(_forwards(window[place + 1 :], chunk, chunks), belongs, expansion.tokens)
    # It is read after its chunks: its generation was active when they were read, or later.
    document = chunks.document_of(chunk, within)
    if document is None or document.active is None:
        return None
    run = [*reversed(before), chunk, *after]
    is_document = expansion.expand is Expand.DOCUMENT
    start = 0 if is_document and starts else run[0].char_start
    text = "".join(joined_text(run, start=start))
    if is_document and ends:
        text += "\n" * (document.active.text_length - start - len(text))
    return _cut(text, start, chunk, expansion.tokens, is_all=starts and ends)


def _backwards(beside: Sequence[Chunk], chunk: Chunk, chunks: ActiveChunks) -> Iterator[Chunk]:
    """The chunks before it, the nearest first: those that were read, and then more."""
    yield from reversed(beside)
    end = chunk.ordinal - len(beside)
    while end > 0:
        first = max(end - _AT_A_TIME, 0)
        page = chunks.part_of(chunk, first=first, limit=end - first)
        yield from reversed(page)
        end = first if page else 0


def _forwards(beside: Sequence[Chunk], chunk: Chunk, chunks: ActiveChunks) -> Iterator[Chunk]:
    page = beside
    while page:
        yield from page
        page = chunks.part_of(chunk, first=page[-1].ordinal + 1, limit=_AT_A_TIME) if len(page) == _AT_A_TIME else ()


def _side(neighbours: Iterator[Chunk], belongs: Callable[[Chunk], bool], tokens: int) -> tuple[list[Chunk], bool]:
    """Those that belong to the context, until they have more than so many tokens; and whether these are all."""
    found: list[Chunk] = []
    size = 0
    for one in neighbours:
        if not belongs(one):
            return found, True
        if size > tokens or len(found) == _MOST_CHUNKS:
            return found, False
        found.append(one)
        size += TOKENS.count(one.text)
    return found, True


def _nothing(chunk: Chunk) -> Callable[[Chunk], bool]:
    return lambda _: False


def _section(chunk: Chunk) -> Callable[[Chunk], bool]:
    return lambda one: one.header_path == chunk.header_path


def _page(chunk: Chunk) -> Callable[[Chunk], bool]:
    return _section(chunk) if chunk.page is None else lambda one: one.page == chunk.page


def _document(chunk: Chunk) -> Callable[[Chunk], bool]:
    return lambda _: True


_BELONGS = {
    Expand.PASSAGE: _nothing,
    Expand.SECTION: _section,
    Expand.PAGE: _page,
    Expand.DOCUMENT: _document,
}


def _cut(text: str, first: int, chunk: Chunk, tokens: int, *, is_all: bool) -> Context:
    """The text, or as much of it around the chunk as has so many tokens: half of the rest before it and half after it,
    or more on one side if there is less on the other. Of a chunk that has more itself, its beginning."""
    start, end = chunk.char_start - first, chunk.char_end - first
    if TOKENS.fits(text, 0, len(text), tokens):
        start, end = 0, len(text)
    elif not TOKENS.fits(text, start, end, tokens):
        end = TOKENS.reach(text, start, tokens)
    else:
        left = tokens - TOKENS.count(text[start:end])
        start = TOKENS.reach_back(text, start, left // 2)
        if (left := tokens - TOKENS.count(text[start:end])) > 0:
            end = TOKENS.reach(text, end, left)
        start = TOKENS.reach_back(text, start, max(tokens - TOKENS.count(text[start:end]), 0))
        while not TOKENS.fits(text, start, end, tokens):  # two pieces may have a token more together
            start = min(start + 1, chunk.char_start - first)
            end = max(end - 1, chunk.char_end - first)
    is_whole = is_all and (start, end) == (0, len(text))
    return Context(text[start:end], first + start, first + end, truncated=not is_whole)
