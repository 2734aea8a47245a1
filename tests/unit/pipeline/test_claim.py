"""How the attempt of a claim ends: the same for a document and for a part of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ragbase.domain.document import Document, Status
from ragbase.domain.errors import Busy, TransientError
from ragbase.domain.extraction import PageText
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.page_range import PART_PAGES, PageRange
from ragbase.formats.extractor import FormatExtractor
from scripts.local_cloud.pdf import pdf
from tests.simulation.world import World


class Crowded(FormatExtractor):
    """Others come first, the first time that pages are to be read."""

    def __init__(self) -> None:
        super().__init__()
        self.is_crowded = True

    def extract_pages(
        self, data: bytes, format: str, config: ProcessingConfig, pages: PageRange
    ) -> tuple[PageText, ...]:
        if self.is_crowded:
            self.is_crowded = False
            raise Busy("Others come first.")
        return super().extract_pages(data, format, config, pages)


def next_jobs(world: World) -> list[Job]:
    return [published.job for published in world.publisher.take()]


def attempts_of_parts(record: Document | None) -> list[int]:
    assert record is not None and record.reading is not None
    return [part.attempts for part in record.reading.parts]


@pytest.mark.slow
def test_a_part_that_waits_for_others_counts_no_attempt() -> None:
    world = World()
    worker = world.workers[Lane.HEAVY]
    crowded = replace(worker.maker(), extractor=Crowded())
    world.workers[Lane.HEAVY] = replace(worker, maker=lambda: crowded)
    world.bucket.put("report.pdf", pdf(*(f"Page {number} is about ships." for number in range(PART_PAGES + 1))))
    world.handle(world.events.popleft())
    (document,) = next_jobs(world)
    world.handle(document, Lane.HEAVY)
    first, second = next_jobs(world)
    with pytest.raises(Busy, match="Others come first"):
        world.handle(first, Lane.HEAVY)
    assert attempts_of_parts(world.record("report.pdf")) == [0, 0]
    for part in (first, second):
        world.handle(part, Lane.HEAVY)
    assert attempts_of_parts(world.record("report.pdf")) == [1, 1]


def test_a_document_that_is_done_is_not_given_up_because_the_cleaning_up_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.put("leave.md", "Everyone may take twenty-five days of paid leave a year, to be agreed with the team.")
    world.run()
    world.put("leave.md", "Everyone may take thirty days of paid leave a year, to be agreed with the whole team.")
    world.handle(world.events.popleft())
    (job,) = next_jobs(world)
    record = world.record("leave.md")
    assert record is not None
    last_attempt = replace(record, attempts=MAX_RETRIES)
    world.documents.update(record.id, lambda _: last_attempt)

    def away(*_: Any, **__: Any) -> None:
        raise TransientError("The vector store is away.")

    for method in ("hide", "delete"):
        monkeypatch.setattr(world.vectors, method, away)
    with pytest.raises(TransientError):
        world.handle(job)
    done = world.record("leave.md")
    assert done is not None
    assert (done.status, done.failure) == (Status.COMPLETED, None)
    assert next_jobs(world) == []
