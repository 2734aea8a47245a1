"""What everything that keeps the texts of parts promises (ragbase.ports.PartTexts)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ragbase.adapters.system.clock import SystemClock
from ragbase.domain.identity import document_id
from ragbase.ports import PartTexts
from tests.contract.adapters import PART_TEXTS
from tests.contract.real_servers import in_test

FIRST, SECOND, THIRD = sorted(document_id("bucket", f"{number}.pdf") for number in range(3))
GENERATION = 2**62
NAME, OTHER = "0123456789abcdef-1-100", "0123456789abcdef-101-200"


@pytest.fixture(params=in_test(PART_TEXTS))
def texts(request: pytest.FixtureRequest) -> Iterator[PartTexts]:
    with PART_TEXTS[request.param](SystemClock()) as texts:
        yield texts


def listed(texts: PartTexts, *, after: str = "", limit: int = 100) -> list[tuple[str, int]]:
    return [(text.document_id, text.generation) for text in texts.scan(after=after, limit=limit)]


def test_a_text_is_read_as_it_was_written(texts: PartTexts) -> None:
    written = "\ufeff# Überschrift\r\n\x00🙂\n" + "lang " * 100_000
    texts.put(FIRST, GENERATION, NAME, written)
    texts.put(FIRST, GENERATION, OTHER, "")
    texts.put(FIRST, 1, NAME, "of another generation")
    texts.put(SECOND, GENERATION, NAME, "of another document")
    assert texts.read(FIRST, GENERATION, NAME) == written
    assert texts.read(FIRST, GENERATION, OTHER) == ""
    assert texts.read(FIRST, 1, NAME) == "of another generation"
    assert texts.read(SECOND, GENERATION, NAME) == "of another document"


def test_the_last_text_of_a_name_counts(texts: PartTexts) -> None:
    texts.put(FIRST, 7, NAME, "first")
    texts.put(FIRST, 7, NAME, "second")
    assert texts.read(FIRST, 7, NAME) == "second"


def test_there_is_no_other_text(texts: PartTexts) -> None:
    texts.put(FIRST, 7, NAME, "text")
    assert [texts.read(FIRST, 7, OTHER), texts.read(FIRST, 8, NAME), texts.read(SECOND, 7, NAME)] == [None] * 3


def test_the_texts_of_a_generation_go_together(texts: PartTexts) -> None:
    for generation in (7, 77):
        for name in (NAME, OTHER):
            texts.put(FIRST, generation, name, "text")
    for _ in range(2):
        texts.delete(FIRST, 7)
        assert [texts.read(FIRST, 7, name) for name in (NAME, OTHER)] == [None, None]
    assert [texts.read(FIRST, 77, name) for name in (NAME, OTHER)] == ["text", "text"]


def test_a_scan_goes_over_documents_by_id_and_divides_none(texts: PartTexts) -> None:
    for id in (THIRD, FIRST, SECOND):
        for generation in (77, 7):
            for name in (NAME, OTHER):
                texts.put(id, generation, name, "text")
    assert listed(texts, limit=1) == [(FIRST, 7), (FIRST, 77)]
    assert listed(texts, after=FIRST, limit=3) == [(SECOND, 7), (SECOND, 77), (THIRD, 7), (THIRD, 77)]
    assert listed(texts, after=THIRD, limit=3) == []


def test_a_scan_says_when_the_last_text_of_a_generation_was_written(texts: PartTexts) -> None:
    texts.put(FIRST, 7, NAME, "text")
    before = datetime.now(UTC).replace(microsecond=0)
    texts.put(FIRST, 7, OTHER, "text")
    (stored,) = texts.scan(limit=9)
    assert before <= stored.written_at <= datetime.now(UTC)
