"""What every keeper of dead letters promises (ragbase.ports.DeadLetters)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ragbase.domain.dead_letter import MAX_PAYLOAD, MAX_REASON, DeadLetter, Message, UnreadMessage, shortened
from ragbase.domain.errors import ErrorCode
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.ocr import OcrMode
from ragbase.ports import DeadLetterPlace, DeadLetters
from tests.contract.adapters import DEAD_LETTERS
from tests.contract.real_servers import in_test

NOW = datetime(2025, 1, 1, tzinfo=UTC)
NAME = "🦊 a\nb.pdf"


@pytest.fixture(params=in_test(DEAD_LETTERS))
def dead_letters(request: pytest.FixtureRequest) -> Iterator[DeadLetters]:
    with DEAD_LETTERS[request.param]() as dead_letters:
        yield dead_letters


def job(name: str = NAME, generation: int = 1_763_766_000_000_001) -> Job:
    return Job(
        document_id=document_id("bucket", name),
        bucket="bucket",
        name=name,
        generation=generation,
        part=3,
        format="pdf",
        config=ProcessingConfig(ocr_mode=OcrMode.FORCE, ocr_languages=("vi",), min_text_length=1),
    )


EVENT = ObjectEvent(
    kind=EventKind.FINALISED,
    bucket="bucket",
    name=NAME,
    generation=7,
    size=9,
    md5="0" * 32,
    content_type="application/pdf",
    metadata={"ragbase-source": "ü"},
)


def dead_letter(message: Message, *, seconds: float = 0, reason: str = "Weaviate is away.") -> DeadLetter:
    moment = NOW + timedelta(seconds=seconds)
    return DeadLetter(
        message=message,
        attempts=4,
        code=ErrorCode.INTERNAL_ERROR,
        reason=reason,
        first_seen=moment,
        last_seen=moment,
    )


@pytest.mark.parametrize(
    "message",
    [
        job(),
        Job(document_id=document_id("bucket", "a"), bucket="bucket", name="a", generation=1),
        EVENT,
        ObjectEvent(kind=EventKind.DELETED, bucket="bucket", name="a", generation=1, overwritten=True),
        UnreadMessage.of(b"\xff\x00{", {"eventType": "ü"}),
        UnreadMessage.of(b"", {}),
    ],
    ids=str,
)
def test_a_dead_letter_is_kept_whole(dead_letters: DeadLetters, message: Message) -> None:
    kept = dead_letter(message, reason="Gave up: “naïve”.\n🦊")
    dead_letters.keep(kept)
    assert dead_letters.get(kept.id) == kept
    assert dead_letters.page(limit=10) == [kept]


def test_the_longest_dead_letter_is_kept_whole(dead_letters: DeadLetters) -> None:
    attributes = {f"{number:0256}": "x" * 1024 for number in range(100)}  # as many as Pub/Sub lets a message have
    kept = dead_letter(
        UnreadMessage.of(b"\xff" * (MAX_PAYLOAD + 1), attributes), reason=shortened("🦊" * 2 * MAX_REASON)
    )
    dead_letters.keep(kept)
    assert dead_letters.get(kept.id) == kept
    assert isinstance(kept.message, UnreadMessage)
    assert kept.message.size == MAX_PAYLOAD + 1


@pytest.mark.parametrize("id", ["absent", "", "..", "a/b", "__x__", "x" * 2000, "\udcff"])
def test_an_unknown_dead_letter_is_not_there(dead_letters: DeadLetters, id: str) -> None:
    assert dead_letters.get(id) is None
    assert dead_letters.about(document_id("bucket", "absent")) == []
    assert dead_letters.page(limit=1) == []
    assert not dead_letters.remove(dead_letter(job()))


def test_a_dead_letter_that_comes_again_is_kept_once_with_the_last_time(dead_letters: DeadLetters) -> None:
    first, again = dead_letter(job()), dead_letter(job(), seconds=60, reason="Cohere is away.")
    dead_letters.keep(first)
    dead_letters.keep(again)
    assert dead_letters.page(limit=10) == [replace(again, first_seen=NOW)]


def test_a_dead_letter_that_has_come_again_is_not_removed_by_a_reader_of_the_old_one(dead_letters: DeadLetters) -> None:
    first, again = dead_letter(job()), dead_letter(job(), seconds=0.000001)
    dead_letters.keep(first)
    dead_letters.keep(again)
    assert not dead_letters.remove(first)
    kept = dead_letters.get(first.id)
    assert kept == replace(again, first_seen=NOW)
    assert dead_letters.remove(again)
    assert not dead_letters.remove(again)
    assert dead_letters.get(first.id) is None
    dead_letters.keep(dead_letter(job(), seconds=2))
    assert dead_letters.get(first.id) == dead_letter(job(), seconds=2)


def test_dead_letters_are_found_by_their_document(dead_letters: DeadLetters) -> None:
    older, newer = dead_letter(job(generation=1)), dead_letter(job(generation=2), seconds=1)
    event = dead_letter(EVENT, seconds=2)
    for one in (newer, event, older, dead_letter(job("other.md")), dead_letter(UnreadMessage.of(b"", {}))):
        dead_letters.keep(one)
    assert dead_letters.about(document_id("bucket", NAME)) == [event, newer, older]


def test_pages_have_every_dead_letter_once_the_newest_first(dead_letters: DeadLetters) -> None:
    """Also where some have the same time, some are removed and others come meanwhile."""
    kept = [dead_letter(job(f"{number}.md"), seconds=number // 3) for number in range(10)]
    for one in kept:
        dead_letters.keep(one)
    order = sorted(kept, key=lambda one: (one.last_seen, one.id), reverse=True)
    seen: list[DeadLetter] = []
    last: DeadLetterPlace | None = None
    while page := dead_letters.page(before=last, limit=4):
        seen += page
        last = DeadLetterPlace(page[-1].last_seen, page[-1].id)
        assert dead_letters.remove(page[-1])
        dead_letters.keep(dead_letter(job(f"later {len(seen)}.md"), seconds=100))
    assert seen == order
    assert dead_letters.page(limit=0) == []


def test_threads_lose_nothing(dead_letters: DeadLetters) -> None:
    kept = [dead_letter(job(f"{number}.md")) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(dead_letters.keep, kept))
        assert {one.id for one in dead_letters.page(limit=100)} == {one.id for one in kept}
        assert sum(pool.map(dead_letters.remove, kept * 2)) == len(kept)
    assert dead_letters.page(limit=100) == []
