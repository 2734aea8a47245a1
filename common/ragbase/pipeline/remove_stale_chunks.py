"""Remove from the vector store, from the given texts, from those of parts and from the word boxes what search does not
show and nobody is working on.

What was shown a moment ago is hidden first, and removed later. A search chooses its candidates and then reads them. If
they were gone by then, it would find neither them nor the chunks that have taken their place, and the document would be
hidden although some generation of it was active all the time. As it finds the old chunks, it sees that the record has
moved on, and searches again (retrieval/active_chunks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.passed import is_ahead

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import DocumentStore, GivenTexts, PartTexts, VectorStore, WordBoxes

_CLOCKS = timedelta(seconds=5)
"""How far the clocks of two machines may be apart."""


def remove_stale_chunks(
    record: Document,
    generation: int,
    documents: DocumentStore,
    vectors: VectorStore,
    *,
    texts: GivenTexts,
    boxes: WordBoxes,
    now: datetime,
) -> bool:
    """Remove the chunks, given texts and word boxes that `generation` and others may have left. `record` is as it was a
    moment ago, when there was a job for the generation. Returns False if searches may still be reading some of the
    chunks. These are only hidden: call again later.

    The chunks are looked up first, and the record is read after that. A record wants a generation before its first
    chunk is written, and never again once it has left it (pipeline/route.py). So a generation that has chunks, and that
    the record then does not need, is needed by nobody any more, and it does no harm if the record changes once more.

    While the document needs work, the chunks of other generations stay: they may hold texts that the new generation has
    too, which are then not embedded again. A second call removes what a crash left.
    """
    held = {} if record.needs_work else vectors.held([record.id]).get(record.id, {})
    if all(map(record.needs, {generation, *held})):
        return True
    latest = documents.get(record.id)
    if latest is None:
        return True
    stale = [one for one in sorted({generation} if latest.needs_work else {generation, *held}) if not latest.needs(one)]
    is_early = may_be_read(latest, vectors, now)
    for one in stale:
        # These go first, as the chunks say that there may be some.
        if one < 0:  # only given texts have such numbers
            texts.delete(record.id, one)
        else:
            boxes.delete(record.id, one)
        if is_early:
            vectors.hide(record.id, generation=one)
        else:
            vectors.delete(record.id, generation=one)
    return not (stale and is_early)


def may_be_read(record: Document, vectors: VectorStore, now: datetime) -> bool:
    """Whether a search that began before the last flip may still be reading what it replaced. If the document shows
    nothing now, it does not matter. It waits for such searches where the time of the flip cannot be true."""
    if record.flipped_at is None or record.active is None or not vectors.longest_search:
        return False
    if is_ahead(record.flipped_at, now):  # the clock was put back since: nobody knows how long ago that was
        vectors.wait_for_searches()
        return False
    return now < record.flipped_at + vectors.longest_search + _CLOCKS


def remove_surplus_chunks(
    document_id: str, generation: int, made: Collection[str], vectors: VectorStore, before_remove: Callable[[], None]
) -> None:
    """Remove the chunks of `generation` whose ids are not in `made`: an attempt with other settings has left them, and
    search would show them with the others.

    Those in `made` are all there before any is removed, and no search is left that began before they were. It may have
    chosen the others, if the document shows this generation already, and nothing tells it that they have been replaced.
    """
    if vectors.held([document_id]).get(document_id, {}).get(generation, 0) > len(made):
        surplus = [one.chunk.id for one in vectors.read(document_id, generation) if one.chunk.id not in made]
        vectors.wait_for_searches()
        before_remove()
        vectors.delete_chunks(surplus)


def remove_part_texts(record: Document, generation: int, part_texts: PartTexts) -> None:
    """Remove the texts of parts that nobody will join: those of the generation, unless its parts are being read.
    `record` was read a moment ago, when there was a job for the generation.

    If the same generation is read again right after that, the removal may meet a text that was just written: the job
    that joins the texts finds that one is gone, and lets it be read once more.
    """
    if not record.is_reading(generation):
        part_texts.delete(record.id, generation)
