"""Compare the bucket, the records and the vector store, a page at a time, and repair what differs.

There are five walks. The first goes over objects and records together: both are sorted by name, so each name comes
once, and only two pages are in memory. The second goes over the chunks. It finds chunks whose document has no record,
and those without the labels that their record gives, which an older version may have written. The third goes over the
given texts, the fourth over the texts of parts, and the fifth over the word boxes. They find those that no record
needs.

Everything else goes on in the meantime, so a page shows only what may differ. Each such document is read again, alone,
right before it is counted or repaired, in an order in which what was seen stays true:

1. the record; 2. the chunks; 3. the object; 4. the record again, which has to be the same.

A generation that the bucket or the record has left never comes back. So if the record names a generation and the bucket
lacks it later, it is gone for good. So is one that has chunks, and that the record does not need later. If the bucket
has an object, and the record that is read after that does not know it, its event has not arrived. In the second walk: a
record exists before its first chunk. So if a chunk is read first, and no record is found after that, it has none; if
there is no object either, nobody needs the chunk. And if it lacks the labels of the generation that such a record
shows, no lane is about to write them. In the third walk: a text is written right before its record names it, and its
number comes only once. So if it is older than GRACE, and the record that is read after it does not need it, nobody
needs it. The same is true of the fourth walk, but that a generation may be read in parts once more: if its texts go
at that moment, its parts are read again (pipeline/make_document.py). In the fifth walk: boxes are written only for a
generation that the record needs, and a generation that it does not need any more never comes back.

A document that may be in motion is left alone for the length of GRACE (see compare.py). A deletion has no date: if its
event is still on the way, the document counts as stale, and the repair does what the event will do.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ragbase.ports import OpenIndex, Ports
from ragbase.upkeep.reconcile.chunks import ChunkWalk
from ragbase.upkeep.reconcile.compare import GRACE
from ragbase.upkeep.reconcile.documents import DocumentWalk
from ragbase.upkeep.reconcile.failures import Failures
from ragbase.upkeep.reconcile.leftover_texts import given_texts, part_texts, word_boxes
from ragbase.upkeep.reconcile.progress import Place, ReconcileProgress, Walk
from ragbase.upkeep.reconcile.texts import TextWalk


def reconcile(
    ports: Ports, index: OpenIndex, *, place: Place | None = None, repairs: bool = False, grace: timedelta = GRACE
) -> Iterator[ReconcileProgress]:
    """Compare everything from `place` on, page by page, and repair what differs if `repairs` is set.

    A caller that stops after a page loses nothing. Several comparisons at once do no harm: two may count the same
    difference, but it is repaired once. A document that cannot be compared or repaired is reported, and the comparison
    goes on. Raises TransientError where one document after another fails by one: then a service is away.
    """
    place = place or Place()
    failures = Failures()
    documents = DocumentWalk(ports, index, repairs, grace, failures)
    chunks = ChunkWalk(ports, index, repairs, grace, failures)
    texts = TextWalk(ports.documents, ports.clock, repairs, grace)
    if place.walk is Walk.WAITING:
        yield from documents.waiting()
        return
    if place.walk is Walk.NAMES:
        yield from documents.names(place.after)
        place = Place(Walk.CHUNKS)
    if place.walk is Walk.CHUNKS:
        yield from chunks.tenants(place)
        place = Place(Walk.TEXTS)
    if place.walk is Walk.TEXTS:
        yield from texts.leftovers(place, given_texts(ports.texts), Place(Walk.PARTS))
        place = Place(Walk.PARTS)
    if place.walk is Walk.PARTS:
        yield from texts.leftovers(place, part_texts(ports.part_texts), Place(Walk.BOXES))
        place = Place(Walk.BOXES)
    yield from texts.leftovers(place, word_boxes(ports.word_boxes), None)
