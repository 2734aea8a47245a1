"""What everything that keeps given texts promises (ragbase.ports.GivenTexts)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ragbase.adapters.system.clock import SystemClock
from ragbase.domain.errors import GenerationGone
from ragbase.domain.identity import document_id
from ragbase.ports import GivenTexts
from tests.contract.adapters import GIVEN_TEXTS
from tests.contract.real_servers import in_test

FIRST, SECOND, THIRD = sorted(document_id("bucket", f"{number}.pdf") for number in range(3))
LOWEST = -(2**52)


@pytest.fixture(params=in_test(GIVEN_TEXTS))
def texts(request: pytest.FixtureRequest) -> Iterator[GivenTexts]:
    with GIVEN_TEXTS[request.param](SystemClock()) as texts:
        yield texts


def listed(texts: GivenTexts, *, after: str = "", limit: int = 100) -> list[tuple[str, int]]:
    return [(text.document_id, text.generation) for text in texts.scan(after=after, limit=limit)]


def test_a_text_is_read_as_it_was_given(texts: GivenTexts) -> None:
    given = "\ufeff# Überschrift\r\n\x00🙂\n" + "lang " * 100_000
    texts.put(FIRST, LOWEST, given)
    texts.put(FIRST, -1, "")
    texts.put(SECOND, LOWEST, "another")
    assert texts.read(FIRST, LOWEST) == given
    assert texts.read(FIRST, -1) == ""
    assert texts.read(SECOND, LOWEST) == "another"


def test_a_text_that_is_written_twice_is_there_once(texts: GivenTexts) -> None:
    for _ in range(2):
        texts.put(FIRST, -7, "text")
    assert texts.read(FIRST, -7) == "text"
    assert listed(texts) == [(FIRST, -7)]


def test_a_text_that_is_not_there(texts: GivenTexts) -> None:
    texts.put(FIRST, -7, "text")
    for id, generation in ((FIRST, -8), (SECOND, -7)):
        with pytest.raises(GenerationGone):
            texts.read(id, generation)
        texts.delete(id, generation)
    assert texts.read(FIRST, -7) == "text"


def test_a_deleted_text_is_gone(texts: GivenTexts) -> None:
    texts.put(FIRST, -7, "text")
    texts.put(FIRST, -8, "other")
    for _ in range(2):
        texts.delete(FIRST, -7)
    with pytest.raises(GenerationGone):
        texts.read(FIRST, -7)
    assert listed(texts) == [(FIRST, -8)]


def test_a_scan_lists_by_document_and_divides_none(texts: GivenTexts) -> None:
    assert listed(texts) == []
    before = datetime.now(UTC)
    for id, generation in ((THIRD, -1), (FIRST, -12), (FIRST, -3), (SECOND, -2), (SECOND, LOWEST)):
        texts.put(id, generation, "text")
    assert [id for id, _ in listed(texts)] == [FIRST, FIRST, SECOND, SECOND, THIRD]
    assert sorted(listed(texts, limit=1)) == [(FIRST, -12), (FIRST, -3)]
    assert [id for id, _ in listed(texts, limit=3)] == [FIRST, FIRST, SECOND, SECOND]
    assert sorted(listed(texts, after=FIRST, limit=2)) == [(SECOND, LOWEST), (SECOND, -2)]
    assert listed(texts, after=SECOND, limit=2) == [(THIRD, -1)]
    assert listed(texts, after=THIRD, limit=2) == []
    assert all(before.timestamp() - 60 < text.written_at.timestamp() for text in texts.scan(limit=100))
