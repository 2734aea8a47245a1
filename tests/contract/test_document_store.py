"""What every document store promises (ragbase.ports.DocumentStore)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.chunk_size import ChunkSize, ChunkUnit
from ragbase.domain.document import Change, Document, IndexedGeneration, Status, Usage
from ragbase.domain.errors import ErrorCode
from ragbase.domain.given_text import HandedOut
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.ocr import OcrMode
from ragbase.domain.page_range import PageRange
from ragbase.domain.program_files import ProgramFiles
from ragbase.domain.reach import Reach
from ragbase.domain.reading import DocumentPart, Reading
from ragbase.domain.work import Failure
from ragbase.pipeline.route import route
from ragbase.ports import DocumentStore, ListingPlace, StoredObject
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from ragbase.testing.examples import share
from ragbase.testing.publisher import MemoryPublisher
from tests.contract.adapters import DOCUMENT_STORES
from tests.contract.real_servers import in_prove, in_test
from tests.plain_document import plain_document

NOW = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture(params=in_test(DOCUMENT_STORES))
def store(request: pytest.FixtureRequest) -> Iterator[DocumentStore]:
    with DOCUMENT_STORES[request.param]() as store:
        yield store


def document(id: str, **changes: object) -> Document:
    return plain_document(f"{id}.md", **{"id": id, "created_at": NOW, "updated_at": NOW, **changes})


def active(md5: str = "md5", fingerprint: str = "made-by", generation: int = 1) -> IndexedGeneration:
    return IndexedGeneration(generation=generation, chunk_count=1, md5=md5, fingerprint=fingerprint, text_length=4)


def put(store: DocumentStore, *records: Document) -> None:
    for record in records:
        store.update(record.id, lambda _, record=record: record)  # type: ignore[misc]  # mypy cannot type the default


def test_an_unknown_document_has_no_record(store: DocumentStore) -> None:
    assert store.get("absent") is None
    assert store.get_many(["absent"]) == {}
    assert store.get_many([]) == {}
    assert store.find_active("md5", "made-by") is None
    assert store.leased_to("worker") == []
    assert (list(store.page()), store.count()) == ([], 0)


@pytest.mark.parametrize(
    "id",
    ["", ".", "..", "/tmp/notes.md", "__notes__", "n" * 2000, "notes\0", "notes\udcff"],
    ids=["nothing", "dot", "dots", "path", "reserved", "long", "NUL", "no UTF-8"],
)
def test_an_id_of_any_form_simply_has_no_record(store: DocumentStore, id: str) -> None:
    put(store, document("there"))
    assert store.get(id) is None
    assert store.get_many([id, "there"]) == {"there": document("there")}


def test_update_applies_the_transition_to_the_record_as_it_is(store: DocumentStore) -> None:
    seen: list[Document | None] = []

    def become(record: Document) -> Callable[[Document | None], Document]:
        def transition(before: Document | None) -> Document:
            seen.append(before)
            return record

        return transition

    first, second = document("a"), document("a", generation=2)
    assert store.update("a", become(first)) == Change(None, first)
    assert store.get("a") == first
    assert store.update("a", become(second)) == Change(first, second)
    assert store.get("a") == second
    assert (seen[0], seen[-1]) == (None, first)


def test_a_transition_that_changes_nothing_leaves_everything_as_it_is(store: DocumentStore) -> None:
    assert store.update("a", lambda record: record) == Change(None, None)
    assert store.get("a") is None

    put(store, document("a"))
    assert store.update("a", lambda record: record) == Change(document("a"), document("a"))
    assert store.get("a") == document("a")
    assert store.count() == 1


def test_a_transition_that_raises_changes_nothing(store: DocumentStore) -> None:
    put(store, document("a"))

    def fail(_: Document | None) -> Document:
        raise ZeroDivisionError

    for id in ("a", "b"):
        with pytest.raises(ZeroDivisionError):
            store.update(id, fail)
    assert store.get("a") == document("a")
    assert store.get("b") is None
    put(store, document("a", generation=2))
    assert store.get("a") == document("a", generation=2)


def test_threads_that_update_one_record_lose_no_update(store: DocumentStore) -> None:
    put(store, document("a"))

    def count(record: Document | None) -> Document:
        assert record is not None
        return replace(record, attempts=record.attempts + 1)

    with ThreadPoolExecutor(8) as pool:
        changes = list(pool.map(lambda _: store.update("a", count), range(200)))
    record = store.get("a")
    assert record is not None
    assert record.attempts == 200
    assert sorted(change.after.attempts for change in changes if change.after) == list(range(1, 201))
    assert all(change.before and change.after == count(change.before) for change in changes)


def test_of_two_routers_the_one_that_asked_the_bucket_first_cannot_write_last(store: DocumentStore) -> None:
    events: list[ObjectEvent] = []
    clock = VirtualClock()
    bucket = MemoryBucket("bucket", events.append, clock)
    ports: Any = SimpleNamespace(
        bucket=bucket,
        documents=store,
        publisher=MemoryPublisher(),
        clock=clock,
        defaults=ProcessingConfig(),
        program_files=ProgramFiles(),
    )
    answers = []

    def stat(name: str) -> StoredObject | None:
        """The answer of the bucket. Another router overtakes the one that asks first, before it has its answer."""
        answer = bucket.stat(name)
        answers.append(answer)
        if len(answers) == 1:
            bucket.put(name, b"third")
            route(events[-1], ports)
        return answer

    bucket.put("a.md", b"first")
    route(events[-1], ports)
    bucket.put("a.md", b"second")
    slow: Any = SimpleNamespace(**vars(ports) | {"bucket": SimpleNamespace(name=bucket.name, stat=stat)})
    record = route(events[-1], slow)
    live = bucket.stat("a.md")
    assert record is not None and live is not None
    assert record.wants(live.generation) and store.get(record.id) == record
    assert len(answers) == 2


def test_a_failing_update_among_others_harms_none_of_them(store: DocumentStore) -> None:
    def update(number: int) -> bool:
        def transition(_: Document | None) -> Document:
            if number % 3 == 0:
                raise ZeroDivisionError
            return document(str(number))

        try:
            store.update(str(number), transition)
        except ZeroDivisionError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        written = [number for number, done in enumerate(pool.map(update, range(90))) if done]
    assert written == [number for number in range(90) if number % 3]
    assert sorted(store.get_many([str(number) for number in range(90)]), key=int) == [str(n) for n in written]


def test_get_many_gives_the_records_that_exist(store: DocumentStore) -> None:
    records = [document(f"{number}") for number in range(1500)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda record: put(store, record), records))
    wanted = [record.id for record in records[::2]]
    assert store.get_many([*wanted, "absent", wanted[0]]) == {record.id: record for record in records[::2]}


def test_find_active_wants_both_the_bytes_and_the_fingerprint(store: DocumentStore) -> None:
    shown = document("a", status=Status.COMPLETED, active=active("one", "made-by"))
    other = document("b", status=Status.COMPLETED, active=active("two", "made-by"))
    put(store, shown, other, document("c", md5="three"))
    assert store.find_active("one", "made-by") == shown
    assert store.find_active("one", "made-otherwise") is None
    assert store.find_active("three", "made-by") is None


def test_find_active_goes_by_what_search_shows_not_by_what_is_wanted(store: DocumentStore) -> None:
    shown = document("a", md5="new", generation=2, status=Status.PROCESSING, active=active("old", generation=1))
    put(store, shown)
    assert store.find_active("old", "made-by") == shown
    assert store.find_active("new", "made-by") is None


@pytest.mark.parametrize("gone", [{"tombstone": True}, {"status": Status.FAILED}])
def test_find_active_forgets_what_is_no_longer_shown(store: DocumentStore, gone: dict[str, object]) -> None:
    put(store, document("a", status=Status.COMPLETED, active=active()))
    put(store, document("a", active=None, **gone))
    assert store.find_active("md5", "made-by") is None


def test_find_active_of_a_tenant_finds_no_other_tenant_s(store: DocumentStore) -> None:
    theirs = document("a", name="theirs/a.md", status=Status.COMPLETED, active=active())
    put(store, theirs)
    assert store.find_active("md5", "made-by", tenant="mine") is None
    assert store.find_active("md5", "made-by", tenant="") is None
    mine = document("b", name="mine/deep/b.md", status=Status.COMPLETED, active=active())
    put(store, mine)
    assert store.find_active("md5", "made-by", tenant="mine") == mine
    assert store.find_active("md5", "made-by", tenant="theirs") == theirs


def test_find_active_finds_another_where_one_of_several_is_gone(store: DocumentStore) -> None:
    duplicates = [document(id, status=Status.COMPLETED, active=active()) for id in ("a", "b")]
    put(store, *duplicates)
    first = store.find_active("md5", "made-by")
    assert first in duplicates
    put(store, replace(first, active=None, tombstone=True))
    assert store.find_active("md5", "made-by") == next(
        duplicate for duplicate in duplicates if duplicate.id != first.id
    )


def test_leased_to_gives_what_any_claim_of_the_worker_holds(store: DocumentStore) -> None:
    first = document("a", status=Status.PROCESSING, lease=Lease("worker", 1, NOW))
    second = document("b", status=Status.PROCESSING, lease=Lease("worker", 2, NOW))
    put(store, first, second, document("c", lease=Lease("another", 1, NOW)), document("d"))
    assert sorted(store.leased_to("worker"), key=lambda record: record.id) == [first, second]
    put(store, replace(first, status=Status.PENDING, lease=None))
    assert store.leased_to("worker") == [second]


def test_leased_to_gives_documents_with_a_part_that_the_worker_holds(store: DocumentStore) -> None:
    free = Reading.planned("pdf|1", [PageRange(1, 100), PageRange(101, 150)])
    theirs = free.with_part(1, replace(free.parts[0], lease=Lease("another", 7, NOW)))
    mine = theirs.with_part(2, replace(free.parts[1], lease=Lease("worker", 8, NOW), attempts=1))
    put(store, *(document(id, status=Status.PROCESSING, reading=one) for id, one in (("a", theirs), ("b", mine))))
    (leased,) = store.leased_to("worker")
    assert (leased.id, leased.reading) == ("b", mine)
    put(store, document("b", status=Status.COMPLETED))
    assert store.leased_to("worker") == []


def test_handed_out_gives_those_that_wait_longest_first(store: DocumentStore) -> None:
    def waiting(id: str, since: timedelta, name: str) -> Document:
        wait = HandedOut(NOW + since, NOW + timedelta(days=1))
        return document(id, name=name, status=Status.PROCESSING, handed_out=wait)

    late, early = waiting("a", timedelta(seconds=2), "red/a.pdf"), waiting("aa", timedelta(microseconds=1), "aa.pdf")
    exact, first = waiting("d", timedelta(seconds=1), "red/d.pdf"), waiting("b", timedelta(0), "blue/b.pdf")
    put(store, late, early, exact, first, document("e", status=Status.PROCESSING))
    assert store.handed_out(limit=9) == [first, early, exact, late]
    assert store.handed_out(limit=2) == [first, early]
    assert store.handed_out(tenant="red", limit=9) == [exact, late]
    put(store, replace(first, status=Status.FAILED, handed_out=None))
    assert store.handed_out(limit=1) == [early]


NAMES = (
    *("red/a.md", "red/deep/b.md", "redder/c.md", "Red/d.md", "red", "red-1/e.md", "red0/f.md", "é '%/g.md", "h.md"),
    "e\u0301 '%/older.md",  # an older version has made it of a name in NFD
)
REACHES = {
    ("red/",): {"red/a.md", "red/deep/b.md", "red"},
    ("red/deep", "redder"): {"red/deep/b.md", "redder/c.md"},
    ("red/a.md",): {"red/a.md"},
    ("é '%",): {"é '%/g.md", "e\u0301 '%/older.md"},
    ("e\u0301 '%/",): {"é '%/g.md", "e\u0301 '%/older.md"},
    ("re", "h", "blue", "red/%"): set(),
}


@pytest.mark.parametrize("prefixes", REACHES)
def test_what_is_out_of_reach_is_not_there(store: DocumentStore, prefixes: tuple[str, ...]) -> None:
    reach, reached = Reach.of(prefixes), REACHES[prefixes]
    records = [
        document(f"{number}", name=name, created_at=NOW + timedelta(seconds=number % 3), status=Status.PROCESSING)
        for number, name in enumerate(NAMES)
    ]
    records = [replace(one, handed_out=HandedOut(one.created_at, NOW + timedelta(days=1))) for one in records]
    put(store, *records, document("gone", name="red/gone.md", tombstone=True))
    mine = [one for one in records if one.name in reached]
    assert [one for one in records if store.get(one.id, reach=reach) is not None] == mine
    assert store.get("unknown", reach=reach) is None and store.get(".", reach=reach) is None
    everything = store.page()
    assert list(store.page(reach=reach)) == [one for one in everything if one.name in reached]
    assert store.count(reach=reach) == store.count(status=Status.PROCESSING, reach=reach) == len(mine)
    assert store.counts(reach=reach) == {status: len(mine) * (status is Status.PROCESSING) for status in Status}
    assert not store.page(status=Status.FAILED, reach=reach) and not store.count(status=Status.FAILED, reach=reach)
    for number, one in enumerate(everything):
        after = ListingPlace(one.created_at, one.id)
        later = [other for other in everything[number + 1 :] if other.name in reached]
        assert list(store.page(reach=reach, after=after, limit=2)) == later[:2]
        assert list(store.page(reach=reach, after=after, offset=1)) == later[1:]
    assert list(store.handed_out(reach=reach, limit=9)) == sorted(mine, key=lambda one: (one.created_at, one.id))
    assert list(store.handed_out(reach=reach, limit=1)) == list(store.handed_out(reach=reach, limit=9))[:1]
    assert {one.name for one in store.page(tenant="red", reach=reach)} == {one for one in reached if "red/" in one}


def test_a_record_of_another_tenant_is_not_there(store: DocumentStore) -> None:
    put(store, document("a", name="red/a.md"), document("b", name="b.md"))
    assert store.get("a", tenant="red") == store.get("a") == document("a", name="red/a.md")
    assert store.get("a", tenant="re") is store.get("a", tenant="") is store.get("b", tenant="red") is None
    assert store.get("b", tenant="") == document("b", name="b.md")


def test_a_page_is_part_of_all_documents_but_deleted_ones_newest_first_then_by_id(store: DocumentStore) -> None:
    times = [timedelta(0), timedelta(microseconds=1), timedelta(seconds=1), timedelta(days=1)]
    records = [
        document(f"{id}{age}", created_at=NOW + time) for age, time in enumerate(times) for id in ("b", "a", "c")
    ]
    put(store, *records, document("deleted", tombstone=True, created_at=NOW + timedelta(days=9)))

    ids = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1", "a0", "b0", "c0"]
    assert [record.id for record in store.page()] == ids
    assert store.count() == 12
    for limit, offset in [(5, 0), (5, 5), (5, 10), (5, 12), (5, 99), (1, 3), (0, 0)]:
        page = store.page(limit=limit, offset=offset)
        assert [record.id for record in page] == ids[offset : offset + limit]
    for place in (0, 4, 10, 11):
        last = next(record for record in records if record.id == ids[place])
        page = store.page(limit=5, after=ListingPlace(last.created_at, last.id))
        assert [record.id for record in page] == ids[place + 1 : place + 6]
        page = store.page(limit=2, offset=1, after=ListingPlace(last.created_at, last.id))
        assert [record.id for record in page] == ids[place + 2 : place + 4]
    gone = store.page(limit=2, after=ListingPlace(NOW + timedelta(seconds=1), "aa"))
    assert [record.id for record in gone] == ["b2", "c2"]


def test_a_page_of_a_status_holds_and_counts_only_that(store: DocumentStore) -> None:
    put(
        store,
        *(document(f"{status.value}{number}", status=status) for number, status in enumerate((*Status, Status.FAILED))),
        document("deleted", status=Status.COMPLETED, tombstone=True),
    )
    for status in Status:
        page = store.page(status=status)
        assert {record.status for record in page} == {status}
        assert store.count(status=status) == len(page) == (2 if status is Status.FAILED else 1)
    assert store.count() == 5
    assert store.counts() == {status: 2 if status is Status.FAILED else 1 for status in Status}


def test_a_page_of_a_tenant_holds_and_counts_only_its_documents(store: DocumentStore) -> None:
    names = ["red/a.md", "red/deep/b.md", "redder/c.md", "Red/d.md", "red", "e.md", "red/gone.md", "é '%/f.md"]
    records = [document(f"{number}", name=name) for number, name in enumerate(names)]
    records[1] = replace(records[1], status=Status.FAILED)
    records[6] = replace(records[6], tombstone=True)
    put(store, *records)

    def listed(tenant: str, status: Status | None = None) -> list[str]:
        page = store.page(tenant=tenant, status=status)
        assert store.count(tenant=tenant, status=status) == len(page)
        return [record.name for record in page]

    assert listed("red") == ["red/a.md", "red/deep/b.md"]
    assert store.counts(tenant="red")[Status.FAILED] == 1 == sum(store.counts(tenant="red").values()) - 1
    assert listed("red", Status.FAILED) == ["red/deep/b.md"]
    assert listed("Red") == ["Red/d.md"]
    assert listed("") == ["red", "e.md"]
    assert listed("é '%") == ["é '%/f.md"]
    assert listed("nobody") == listed("re") == []
    last = store.page(tenant="red", limit=1)[-1]
    after = ListingPlace(last.created_at, last.id)
    for page in (store.page(tenant="red", after=after), store.page(tenant="red", status=Status.FAILED, after=after)):
        assert [record.name for record in page] == ["red/deep/b.md"]
    assert [record.name for record in store.page(tenant="redder", after=after)] == ["redder/c.md"]
    assert [record.name for record in store.page(tenant="red", limit=1, offset=1)] == ["red/deep/b.md"]
    assert store.count() == 7


def test_the_default_page_has_twenty_documents(store: DocumentStore) -> None:
    put(store, *(document(f"{number}") for number in range(21)))
    assert (len(store.page()), store.count()) == (20, 21)


def test_a_revived_document_is_listed_again(store: DocumentStore) -> None:
    put(store, document("a"), document("a", tombstone=True))
    assert store.count() == 0
    put(store, document("a", generation=2))
    assert [record.generation for record in store.page()] == [2]


def test_a_scan_gives_a_bucket_s_records_by_name_tombstones_included(store: DocumentStore) -> None:
    # By code point, as a bucket lists its objects: where UTF-16 sorts otherwise, too.
    names = ["a", "a!", "a/b", "b", "é", "\ue000", "\uffff", "\U00010000"]
    records = [document(f"{number}", name=name) for number, name in enumerate(names)]
    records[2] = replace(records[2], tombstone=True, status=Status.COMPLETED)
    put(store, *reversed(records), document("other", bucket="another", name="a"))
    assert list(store.scan("bucket", limit=100)) == records
    assert list(store.scan("bucket", limit=3)) == records[:3]
    assert list(store.scan("bucket", after="a/", limit=2)) == records[2:4]
    assert list(store.scan("bucket", after="a/b", limit=100)) == records[3:]
    assert list(store.scan("bucket", after=names[-1], limit=1)) == []
    assert [record.id for record in store.scan("another", limit=9)] == ["other"]
    assert list(store.scan("absent", limit=9)) == []


def test_a_scan_follows_a_record_to_its_last_change(store: DocumentStore) -> None:
    put(store, document("a"), document("a", generation=2))
    assert list(store.scan("bucket", limit=9)) == [document("a", generation=2)]


def test_waiting_gives_the_records_that_need_work_longest_unchanged_first(store: DocumentStore) -> None:
    ages = [timedelta(0), timedelta(microseconds=1), timedelta(seconds=1), timedelta(seconds=1, microseconds=10)]
    states = [Status.PENDING, Status.PROCESSING]
    waiting = [
        document(f"{number}", status=states[number % 2], updated_at=NOW + age) for number, age in enumerate(ages)
    ]
    put(
        store,
        *reversed(waiting),
        document("completed", status=Status.COMPLETED),
        document("failed", status=Status.FAILED),
        document("deleted", status=Status.COMPLETED, tombstone=True),
    )
    later = NOW + timedelta(days=1)
    assert list(store.waiting(before=later, limit=9)) == waiting
    assert list(store.waiting(before=later, limit=2)) == waiting[:2]
    assert list(store.waiting(before=later, after=waiting[1], limit=9)) == waiting[2:]
    assert list(store.waiting(before=later, after=waiting[0], limit=1)) == waiting[1:2]
    assert list(store.waiting(before=later, after=waiting[-1], limit=9)) == []
    for number, record in enumerate(waiting):
        assert list(store.waiting(before=record.updated_at, limit=9)) == waiting[:number]
    put(store, replace(waiting[0], status=Status.COMPLETED), replace(waiting[1], updated_at=later))
    assert list(store.waiting(before=later, limit=9)) == waiting[2:]


_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
_COUNT = st.integers(0, 2**53)
_TIME = st.datetimes(datetime(1970, 1, 2), datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - the bounds are naive
_DOCUMENTS = st.builds(
    Document,
    id=st.uuids().map(str),
    bucket=_TEXT,
    name=_TEXT,
    generation=_COUNT,
    status=st.sampled_from(Status),
    size=_COUNT,
    md5=_TEXT,
    content_type=_TEXT,
    format=st.none() | _TEXT,
    lane=st.none() | st.sampled_from(Lane),
    source=_TEXT,
    config=st.builds(
        ProcessingConfig,
        ocr_mode=st.sampled_from(OcrMode),
        ocr_languages=st.lists(_TEXT, max_size=3).map(tuple),
        min_text_length=_COUNT,
        chunk_size=st.none() | st.builds(ChunkSize, size=_COUNT, overlap=_COUNT, unit=st.sampled_from(ChunkUnit)),
    ),
    created_at=_TIME,
    updated_at=_TIME,
    attempts=_COUNT,
    lease=st.none() | st.builds(Lease, worker=_TEXT, claim=_COUNT, until=_TIME),
    failure=st.none() | st.builds(Failure, code=st.sampled_from(ErrorCode), reason=_TEXT),
    active=st.none()
    | st.builds(
        IndexedGeneration,
        generation=_COUNT,
        chunk_count=_COUNT,
        md5=_TEXT,
        fingerprint=_TEXT,
        text_length=_COUNT,
        page_count=st.none() | _COUNT,
        duplicate_of=st.none() | _TEXT,
    ),
    usage=st.builds(Usage, embedded_texts=_COUNT, billed_tokens=_COUNT),
    tombstone=st.booleans(),
    reading=st.none()
    | st.builds(
        Reading,
        reader=_TEXT,
        parts=st.lists(
            st.builds(
                DocumentPart,
                pages=st.builds(PageRange, _COUNT, _COUNT),
                is_read=st.booleans(),
                attempts=_COUNT,
                lease=st.none() | st.builds(Lease, worker=_TEXT, claim=_COUNT, until=_TIME),
            ),
            max_size=3,
        ).map(tuple),
    ),
)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", in_prove(DOCUMENT_STORES))
@share(0.25)
@given(records=st.lists(_DOCUMENTS, min_size=1, max_size=3, unique_by=lambda record: record.id))
def test_every_field_of_a_record_survives(adapter: str, records: list[Document]) -> None:
    with DOCUMENT_STORES[adapter]() as store:
        put(store, *records)
        assert [store.get(record.id) for record in records] == records
        assert store.get_many([record.id for record in records]) == {record.id: record for record in records}
        live = [record for record in records if not record.tombstone]
        assert sorted(store.page(), key=lambda record: record.id) == sorted(live, key=lambda r: r.id)
        for record in records:
            if record.lease is not None:
                assert record in store.leased_to(record.lease.worker)
            if record.active is not None:
                found = store.find_active(record.active.md5, record.active.fingerprint)
                assert found is not None
                assert found.active is not None
