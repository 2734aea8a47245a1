"""What everything that keeps word boxes promises (ragbase.ports.WordBoxes)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.adapters.google.given_texts import CloudStorageGivenTexts
from ragbase.adapters.system.clock import SystemClock
from ragbase.domain.identity import document_id
from ragbase.ports import WordBoxes
from tests.contract.adapters import BUCKET, WORD_BOXES
from tests.contract.real_servers import in_test

FIRST, SECOND, THIRD = sorted(document_id("bucket", f"{number}.pdf") for number in range(3))
GENERATION = 2**62
READER, OTHER = "pdf|pdf-v4-auto-eng+vie", "pdf|pdf-v4-text"


@pytest.fixture(params=in_test(WORD_BOXES))
def boxes(request: pytest.FixtureRequest) -> Iterator[WordBoxes]:
    with WORD_BOXES[request.param](SystemClock()) as boxes:
        yield boxes


def listed(boxes: WordBoxes, *, after: str = "", limit: int = 100) -> list[tuple[str, int]]:
    return [(one.document_id, one.generation) for one in boxes.scan(after=after, limit=limit)]


def test_boxes_are_read_as_they_were_written(boxes: WordBoxes) -> None:
    written = bytes(range(256)) * 1_000
    boxes.put(FIRST, GENERATION, READER, written)
    boxes.put(FIRST, GENERATION, OTHER, b"of another reader")
    boxes.put(FIRST, 1, READER, b"of another generation")
    boxes.put(SECOND, GENERATION, READER, b"of another document")
    assert boxes.read(FIRST, GENERATION, READER) == written
    assert boxes.read(FIRST, GENERATION, OTHER) == b"of another reader"
    assert boxes.read(FIRST, 1, READER) == b"of another generation"
    assert boxes.read(SECOND, GENERATION, READER) == b"of another document"


def test_the_last_boxes_of_a_reader_count(boxes: WordBoxes) -> None:
    boxes.put(FIRST, 7, READER, b"first")
    boxes.put(FIRST, 7, READER, b"second")
    assert boxes.read(FIRST, 7, READER) == b"second"


def test_there_are_no_other_boxes(boxes: WordBoxes) -> None:
    boxes.put(FIRST, 7, READER, b"boxes")
    assert [boxes.read(FIRST, 7, OTHER), boxes.read(FIRST, 8, READER), boxes.read(SECOND, 7, READER)] == [None] * 3


def test_the_boxes_of_a_generation_go_together(boxes: WordBoxes) -> None:
    for generation in (7, 77):
        for reader in (READER, OTHER):
            boxes.put(FIRST, generation, reader, b"boxes")
    for _ in range(2):
        boxes.delete(FIRST, 7)
        assert [boxes.read(FIRST, 7, reader) for reader in (READER, OTHER)] == [None, None]
    assert [boxes.read(FIRST, 77, reader) for reader in (READER, OTHER)] == [b"boxes", b"boxes"]


def test_a_scan_goes_over_documents_by_id_and_divides_none(boxes: WordBoxes) -> None:
    for id in (THIRD, FIRST, SECOND):
        for generation in (77, 7):
            for reader in (READER, OTHER):
                boxes.put(id, generation, reader, b"boxes")
    assert listed(boxes, limit=1) == [(FIRST, 7), (FIRST, 77)]
    assert listed(boxes, after=FIRST, limit=3) == [(SECOND, 7), (SECOND, 77), (THIRD, 7), (THIRD, 77)]
    assert listed(boxes, after=THIRD, limit=3) == []


def test_a_scan_says_when_the_last_boxes_of_a_generation_were_written(boxes: WordBoxes) -> None:
    boxes.put(FIRST, 7, READER, b"boxes")
    before = datetime.now(UTC).replace(microsecond=0)
    boxes.put(FIRST, 7, OTHER, b"boxes")
    (stored,) = boxes.scan(limit=9)
    assert before <= stored.written_at <= datetime.now(UTC)


def test_in_a_bucket_given_texts_and_boxes_do_not_see_each_other() -> None:
    with WORD_BOXES["cloud storage"](SystemClock()) as boxes:
        texts = CloudStorageGivenTexts(CloudStorageBucket(BUCKET))
        for id in (FIRST, SECOND):
            boxes.put(id, 7, READER, b"boxes")
            texts.put(id, -7, "text")
        assert [(one.document_id, one.generation) for one in texts.scan(limit=9)] == [(FIRST, -7), (SECOND, -7)]
        assert listed(boxes) == [(FIRST, 7), (SECOND, 7)]
