"""What each transition changes in a record, and that it changes nothing else.

Each is applied to a record whose every field has a value, and the whole result is compared: a transition that keeps
what it should clear is seen here, whatever the field. Some of these records could not come about, which does no harm.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any

import pytest

from ragbase.domain import claim_transitions, extractor_transitions, part_transitions, transitions
from ragbase.domain.document import Document, IndexedGeneration, Status, Transition, Usage
from ragbase.domain.errors import ErrorCode
from ragbase.domain.given_text import GivenText, HandedOut
from ragbase.domain.identity import document_id
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.limits import LONGEST_WAIT, MAX_RETRIES
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.ocr import OcrMode
from ragbase.domain.page_range import PageRange
from ragbase.domain.reading import DocumentPart, Reading
from ragbase.domain.work import Failure
from tests.unit.domain.transitions import FAILURE, LATER, LEASE, NOW, OTHER, PAID, UNTIL

FILE, NEXT, GIVEN = 7, 3, -5
LONG_AGO = NOW - LONGEST_WAIT
LONGER = replace(LEASE, until=UNTIL + timedelta(minutes=5))
BEFORE = Failure(ErrorCode.INTERNAL_ERROR, "The service was away.")
TEXT = GivenText(generation=GIVEN, of=FILE, hash="hash", page_count=3, ocr_applied=True)
ACTIVE = IndexedGeneration(generation=FILE, chunk_count=4, md5="md5", fingerprint="by", text_length=9, index_name="old")
REBUILT = replace(ACTIVE, index_name="new")
MADE = replace(ACTIVE, generation=GIVEN, given=TEXT)
PLAN = Reading(
    reader="pdf|1",
    parts=(
        DocumentPart(pages=PageRange(1, 2), attempts=2, lease=LEASE),
        DocumentPart(pages=PageRange(3, 4), attempts=1, lease=OTHER),
        DocumentPart(pages=PageRange(5, 6), is_read=True, attempts=1),
    ),
)
WAIT = HandedOut(since=NOW - timedelta(hours=2), until=NOW - timedelta(hours=1))

FULL = Document(
    id="id",
    bucket="bucket",
    name="a.pdf",
    generation=FILE,
    status=Status.PROCESSING,
    size=70,
    md5="md5",
    content_type="application/pdf",
    format="pdf",
    lane=Lane.HEAVY,
    source="https://example.com/a.pdf",
    config=ProcessingConfig(ocr_mode=OcrMode.FORCE),
    created_at=LONG_AGO,
    updated_at=NOW,
    attempts=2,
    lease=LEASE,
    waiting_since=NOW,
    published_again_at=NOW,
    flipped_at=NOW,
    failure=BEFORE,
    active=ACTIVE,
    rebuilt=REBUILT,
    usage=PAID,
    revision=4,
    given_text=TEXT,
    reading=PLAN,
    handed_out=WAIT,
)
FREE = replace(FULL, lease=None, handed_out=None)
INTERRUPTED = replace(FREE, lease=replace(OTHER, until=NOW))
TRIED_UP = replace(FULL, lease=None, attempts=MAX_RETRIES + 1)
CLOSED = replace(FULL, status=Status.COMPLETED)
TOMBSTONE = replace(FULL, status=Status.COMPLETED, tombstone=True)
NOT_SHOWN = replace(FULL, active=replace(ACTIVE, generation=1))
"""Search shows a text of an older file, which the bucket no longer holds."""


def uploaded(kind: EventKind = EventKind.FINALISED) -> ObjectEvent:
    return ObjectEvent(
        kind=kind, bucket="bucket", name="a.pdf", generation=NEXT, size=30, md5="other", content_type="x"
    )


def with_part(number: int, **changes: Any) -> Reading:
    return PLAN.with_part(number, replace(PLAN.parts[number - 1], **changes))


def arrived(seen: Document) -> Transition:
    return transitions.finalised(
        uploaded(), seen=seen, format="md", lane=Lane.FAST, config=ProcessingConfig(), source="source", now=LATER
    )


ARRIVED = {
    "id": document_id("bucket", "a.pdf"),
    "generation": NEXT,
    "status": Status.PENDING,
    "size": 30,
    "md5": "other",
    "content_type": "x",
    "format": "md",
    "lane": Lane.FAST,
    "source": "source",
    "config": ProcessingConfig(),
    "attempts": 0,
    "lease": None,
    "waiting_since": None,
    "published_again_at": None,
    "failure": None,
    "revision": 5,
    "given_text": None,
    "reading": None,
    "handed_out": None,
}
DELETED = {
    "status": Status.COMPLETED,
    "attempts": 0,
    "lease": None,
    "waiting_since": None,
    "failure": None,
    "active": None,
    "rebuilt": None,
    "tombstone": True,
    "revision": 5,
    "reading": None,
    "handed_out": None,
}
ENDED = {
    "status": Status.FAILED,
    "lease": None,
    "waiting_since": None,
    "failure": FAILURE,
    "active": None,
    "rebuilt": None,
    "reading": None,
    "handed_out": None,
}
REPAIR_ENDED = {
    "status": Status.COMPLETED,
    "lease": None,
    "waiting_since": None,
    "failure": FAILURE,
    "reading": None,
    "handed_out": None,
}
TEXT_WANTED = {
    "status": Status.PENDING,
    "attempts": 0,
    "lease": None,
    "waiting_since": None,
    "published_again_at": None,
    "failure": None,
    "reading": None,
    "handed_out": None,
    "revision": 5,
}
OTHER_TEXT = replace(TEXT, generation=-6, hash="other")
END: dict[str, Any] = {"longest_wait": LONGEST_WAIT, "now": LATER}


@dataclass(frozen=True)
class Case:
    """`transition` makes `changes` to the record `before`, and notes the time as `updated_at` if `dated`."""

    transition: Transition
    before: Document
    changes: dict[str, Any]
    dated: bool = True


CASES = {
    "finalised": Case(arrived(FULL), FULL, ARRIVED),
    "finalised, of a deleted one": Case(
        arrived(TOMBSTONE), TOMBSTONE, ARRIVED | {"tombstone": False, "created_at": LATER}
    ),
    "deleted": Case(transitions.deleted(uploaded(EventKind.DELETED), seen=FULL, now=LATER), FULL, DELETED),
    "claimed": Case(
        claim_transitions.claimed(GIVEN, LEASE, Lane.HEAVY, now=LATER, interrupted=True),
        replace(INTERRUPTED, status=Status.PENDING),
        {"status": Status.PROCESSING, "lease": LEASE, "attempts": 3},
    ),
    "renewed": Case(
        claim_transitions.renewed(GIVEN, LONGER, usage=PAID, now=LATER), FULL, {"lease": LONGER, "usage": PAID + PAID}
    ),
    "released": Case(
        claim_transitions.released(GIVEN, LEASE, FAILURE, now=LATER),
        FULL,
        {"status": Status.PENDING, "lease": None, "waiting_since": None, "failure": FAILURE},
    ),
    "handed_back": Case(
        claim_transitions.handed_back(GIVEN, LEASE, now=LATER),
        FULL,
        {"status": Status.PENDING, "lease": None, "waiting_since": None, "attempts": 1},
    ),
    "waiting": Case(
        claim_transitions.waiting(GIVEN, LEASE, FAILURE, now=LATER),
        replace(FULL, handed_out=None),
        {"status": Status.PENDING, "lease": None, "attempts": 1, "failure": FAILURE},
    ),
    "waiting, without a lease": Case(
        claim_transitions.waiting(GIVEN, None, FAILURE, now=LATER),
        replace(FREE, waiting_since=None),
        {"status": Status.PENDING, "failure": FAILURE, "waiting_since": LATER},
    ),
    "rerouted": Case(
        claim_transitions.rerouted(GIVEN, LEASE, "md", Lane.FAST, now=LATER),
        FULL,
        {
            "status": Status.PENDING,
            "lease": None,
            "waiting_since": None,
            "format": "md",
            "lane": Lane.FAST,
            "attempts": 0,
            "reading": None,
        },
    ),
    "completed": Case(
        claim_transitions.completed(MADE, LEASE, usage=PAID, now=LATER),
        FULL,
        {
            "status": Status.COMPLETED,
            "lease": None,
            "waiting_since": None,
            "failure": None,
            "reading": None,
            "active": MADE,
            "rebuilt": None,
            "flipped_at": LATER,
            "usage": PAID + PAID,
        },
    ),
    "failed": Case(transitions.failed(GIVEN, FAILURE, now=LATER), NOT_SHOWN, ENDED),
    "failed, in a repair": Case(transitions.failed(GIVEN, FAILURE, now=LATER), FULL, REPAIR_ENDED),
    "failed, in another index": Case(transitions.failed(GIVEN, FAILURE, now=LATER, index_name="no"), FULL, ENDED),
    "given_up": Case(claim_transitions.given_up(GIVEN, FAILURE, **END), TRIED_UP, REPAIR_ENDED),
    "undeliverable": Case(
        transitions.undeliverable(GIVEN, FAILURE, **END), replace(FREE, waiting_since=None), {"waiting_since": LATER}
    ),
    "undeliverable, and never tried": Case(
        transitions.undeliverable(GIVEN, FAILURE, **END), replace(FREE, failure=None), {"failure": FAILURE}
    ),
    "undeliverable, at its end": Case(
        transitions.undeliverable(GIVEN, FAILURE, **END),
        replace(TRIED_UP, handed_out=None),
        REPAIR_ENDED | {"failure": BEFORE},
    ),
    "replaced": Case(
        transitions.replaced(GIVEN, FAILURE, now=LATER), replace(NOT_SHOWN, lease=None), ENDED | {"failure": BEFORE}
    ),
    "unpublishable": Case(
        transitions.unpublishable(GIVEN, FAILURE, now=LATER), replace(FULL, lease=None), REPAIR_ENDED
    ),
    "published_again": Case(
        transitions.published_again(GIVEN, now=LATER), FULL, {"published_again_at": LATER}, dated=False
    ),
    "retried": Case(transitions.retried(now=LATER), CLOSED, {"status": Status.PENDING, "attempts": 0, "failure": None}),
    "reopened": Case(
        transitions.reopened(FILE, now=LATER), CLOSED, {"status": Status.PENDING, "attempts": 0, "failure": None}
    ),
    "reopened, as it was before a text": Case(
        transitions.reopened(FILE, now=LATER),
        replace(CLOSED, failure=FAILURE),
        {"status": Status.PENDING, "attempts": 0, "failure": None, "given_text": None},
    ),
    "republished": Case(transitions.republished(GIVEN, now=LATER), FULL, {}),
    "leases_ended": Case(
        claim_transitions.leases_ended(LEASE.worker, now=LATER),
        FULL,
        {"lease": replace(LEASE, until=LATER), "reading": with_part(1, lease=replace(LEASE, until=LATER))},
    ),
    "rebuilt": Case(
        transitions.rebuilt(replace(REBUILT, chunk_count=5), format="md", lane=Lane.FAST, usage=PAID, now=LATER),
        FULL,
        {"rebuilt": replace(REBUILT, chunk_count=5), "usage": PAID + PAID},
    ),
    "rebuilt, of what is wanted": Case(
        transitions.rebuilt(REBUILT, format="md", lane=Lane.FAST, usage=Usage(), now=LATER),
        replace(FULL, given_text=None, rebuilt=None),
        {"rebuilt": REBUILT, "format": "md", "lane": Lane.FAST},
    ),
    "promoted": Case(transitions.promoted("new", now=LATER), FULL, {"active": REBUILT, "rebuilt": None}),
    "planned": Case(
        part_transitions.planned(GIVEN, replace(PLAN, reader="pdf|2"), LEASE, now=UNTIL),
        replace(FULL, status=Status.PENDING),
        {
            "status": Status.PROCESSING,
            "lease": None,
            "attempts": 1,
            "reading": replace(PLAN, reader="pdf|2"),
            "updated_at": UNTIL,
        },
    ),
    "planned, while the plan before is followed": Case(
        part_transitions.planned(GIVEN, replace(PLAN, reader="pdf|2"), LEASE, now=LATER),
        FULL,
        {"lease": None, "attempts": 1},
    ),
    "part_claimed": Case(
        claim_transitions.part_claimed(GIVEN, 1, OTHER, lambda _: "pdf|1", now=UNTIL, interrupted=True),
        replace(FULL, status=Status.PENDING),
        {"status": Status.PROCESSING, "reading": with_part(1, lease=OTHER, attempts=3), "updated_at": UNTIL},
    ),
    "renewed, of a part": Case(
        claim_transitions.renewed(GIVEN, LONGER, usage=Usage(), now=LATER, part=1),
        FULL,
        {"reading": with_part(1, lease=LONGER)},
    ),
    "part_read": Case(
        part_transitions.part_read(GIVEN, 1, LEASE, now=LATER),
        FULL,
        {"reading": with_part(1, lease=None, is_read=True), "waiting_since": None},
    ),
    "released, of a part": Case(
        claim_transitions.released(GIVEN, LEASE, FAILURE, now=LATER, part=1),
        FULL,
        {"reading": with_part(1, lease=None), "waiting_since": None, "failure": FAILURE},
    ),
    "waiting, of a part": Case(
        claim_transitions.waiting(GIVEN, LEASE, FAILURE, now=LATER, part=1),
        FULL,
        {"reading": with_part(1, lease=None, attempts=1), "failure": FAILURE},
    ),
    "waiting, of a part, for the first time": Case(
        claim_transitions.waiting(GIVEN, LEASE, FAILURE, now=LATER, part=1),
        replace(FULL, waiting_since=None),
        {"reading": with_part(1, lease=None, attempts=1), "failure": FAILURE, "waiting_since": LATER},
    ),
    "handed_back, of a part": Case(
        claim_transitions.handed_back(GIVEN, LEASE, now=LATER, part=1),
        FULL,
        {"reading": with_part(1, lease=None, attempts=1), "waiting_since": None},
    ),
    "failed_by_claim": Case(
        claim_transitions.failed_by_claim(GIVEN, LEASE, FAILURE, now=LATER, index_name="old"), FULL, REPAIR_ENDED
    ),
    "failed_by_claim, of a part": Case(
        claim_transitions.failed_by_claim(GIVEN, LEASE, FAILURE, now=LATER, part=1), NOT_SHOWN, ENDED
    ),
    "given_up, of a part": Case(
        claim_transitions.given_up(GIVEN, FAILURE, **END, part=1),
        replace(FULL, lease=None, reading=with_part(1, lease=None, attempts=MAX_RETRIES + 1)),
        REPAIR_ENDED,
    ),
    "parts_lost": Case(
        part_transitions.parts_lost(GIVEN, LEASE, [3], now=LATER), FULL, {"reading": with_part(3, is_read=False)}
    ),
    "given": Case(
        extractor_transitions.given(OTHER_TEXT, seen=FULL, now=LATER), FULL, TEXT_WANTED | {"given_text": OTHER_TEXT}
    ),
    "given, for a file without a lane": Case(
        extractor_transitions.given(OTHER_TEXT, seen=FULL, now=LATER),
        replace(FULL, lane=None),
        TEXT_WANTED | {"given_text": OTHER_TEXT, "lane": Lane.FAST},
    ),
    "failed_elsewhere": Case(
        extractor_transitions.failed_elsewhere(FILE, FAILURE, now=LATER), replace(NOT_SHOWN, given_text=None), ENDED
    ),
    "failed_elsewhere, once more": Case(
        extractor_transitions.failed_elsewhere(FILE, FAILURE, now=LATER),
        replace(FULL, status=Status.FAILED, given_text=None),
        {"failure": FAILURE},
    ),
    "handed_out": Case(
        extractor_transitions.handed_out(GIVEN, LEASE, HandedOut(since=LATER, until=UNTIL)),
        FULL,
        {"lease": None, "waiting_since": None, "attempts": 1, "handed_out": HandedOut(since=LATER, until=UNTIL)},
    ),
    "waits_from_now": Case(
        extractor_transitions.waits_from_now(now=LATER),
        replace(FULL, handed_out=HandedOut(since=LATER + timedelta(days=1), until=LATER + timedelta(days=2))),
        {"handed_out": HandedOut(since=LATER, until=LATER + timedelta(days=1))},
    ),
    "not_answered": Case(
        extractor_transitions.not_answered(FILE, FAILURE, now=LATER), replace(NOT_SHOWN, given_text=None), ENDED
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_changes_this_and_nothing_else(name: str) -> None:
    case = CASES[name]
    after = case.transition(case.before)
    dated = {"updated_at": LATER} if case.dated else {}
    assert after == replace(case.before, **(dated | case.changes))


def test_every_transition_has_a_case() -> None:
    every = {
        name
        for module in (transitions, claim_transitions, part_transitions, extractor_transitions)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and function.__annotations__.get("return") == "Transition"
        if not name.startswith("_")
    }
    assert {name.partition(",")[0] for name in CASES} == every - {"while_holding"}


def test_every_field_of_the_record_has_a_value() -> None:
    empty = [field.name for field in fields(Document) if getattr(FULL, field.name) in (field.default, None, "", 0)]
    assert empty == ["tombstone"], "a tombstone takes few transitions, which have a case of their own"
