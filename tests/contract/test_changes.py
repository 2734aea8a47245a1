"""What every order of changes promises (ragbase.ports.Changes)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from ragbase.domain.document import Document, Status
from ragbase.domain.reach import Reach
from ragbase.ports import ChangedIds, Changes, DocumentStore
from tests.contract.adapters import CHANGES
from tests.contract.real_servers import in_test
from tests.plain_document import plain_document


@pytest.fixture(params=in_test(CHANGES))
def adapters(request: pytest.FixtureRequest) -> Iterator[tuple[DocumentStore, Changes]]:
    with CHANGES[request.param]() as adapters:
        yield adapters


@pytest.fixture
def store(adapters: tuple[DocumentStore, Changes]) -> DocumentStore:
    return adapters[0]


@pytest.fixture
def changes(adapters: tuple[DocumentStore, Changes]) -> Changes:
    return adapters[1]


def put(store: DocumentStore, *names: str) -> None:
    """New records, whose ids are their names without slashes."""
    for name in names:
        store.update(id_of(name), lambda _, name=name: plain_document(name, id=id_of(name)))  # type: ignore[misc]  # mypy cannot type the default


def change(store: DocumentStore, name: str, **fields: object) -> None:
    def changed(record: Document | None) -> Document | None:
        return record and replace(record, **fields)  # type: ignore[arg-type]  # each test names fields of Document

    store.update(id_of(name), changed)


def id_of(name: str) -> str:
    return name.replace("/", "-")


def told(changed: ChangedIds) -> tuple[list[str], bool]:
    return list(changed.ids), changed.has_more


def test_without_records_there_is_no_change(changes: Changes) -> None:
    assert changes.latest() == 0
    assert changes.after(0, limit=9) == ChangedIds([], 0, has_more=False)


def test_each_change_comes_after_those_before_it(store: DocumentStore, changes: Changes) -> None:
    put(store, "a", "b")
    first = changes.latest()
    put(store, "c")
    change(store, "a", status=Status.COMPLETED)
    assert changes.latest() > first > 0
    assert told(changes.after(first, limit=9)) == (["c", "a"], False)
    assert told(changes.after(0, limit=9)) == (["b", "c", "a"], False)
    assert told(changes.after(changes.latest(), limit=9)) == ([], False)
    change(store, "c", tombstone=True)
    assert told(changes.after(first, limit=9)) == (["a", "c"], False)


def test_what_stays_as_it_is_has_not_changed(store: DocumentStore, changes: Changes) -> None:
    put(store, "a")
    before = changes.latest()
    store.update("a", lambda record: record)
    store.update("absent", lambda record: record)
    assert changes.latest() == before


def test_of_too_many_changes_the_last_ones_are_told(store: DocumentStore, changes: Changes) -> None:
    put(store, *"abcde")
    assert told(changes.after(0, limit=5)) == (list("abcde"), False)
    changed = changes.after(0, limit=2)
    assert told(changed) == (list("de"), True)
    assert changed.number == changes.latest()


def test_who_goes_on_at_the_number_misses_nothing(store: DocumentStore, changes: Changes) -> None:
    number = 0
    for names in (["a", "b"], [], ["a"], ["c", "b", "a"]):
        for name in names:
            put(store, name) if store.get(name) is None else change(store, name, size=number)
        changed = changes.after(number, limit=9)
        assert told(changed) == (names, False)
        assert changed.number >= number
        number = changed.number


def test_only_documents_that_are_seen_are_told(store: DocumentStore, changes: Changes) -> None:
    put(store, "hr/a", "hr/b/c", "hrx/d", "hr", "it/e")
    assert told(changes.after(0, tenant="hr", limit=9)) == (["hr-a", "hr-b-c"], False)
    assert told(changes.after(0, tenant="", limit=9)) == (["hr"], False)
    assert told(changes.after(0, tenant="none", limit=9)) == ([], False)
    assert told(changes.after(0, reach=Reach.of(["hr/b", "it/e"]), limit=9)) == (["hr-b-c", "it-e"], False)
    assert told(changes.after(0, reach=Reach.of(["hr"]), limit=9)) == (["hr-a", "hr-b-c", "hr"], False)
    assert told(changes.after(0, tenant="hr", reach=Reach.of(["hr/b"]), limit=9)) == (["hr-b-c"], False)
    assert told(changes.after(0, tenant="it", reach=Reach.of(["hr"]), limit=9)) == ([], False)


def test_the_changes_of_others_are_passed_over(store: DocumentStore, changes: Changes) -> None:
    put(store, "hr/a", "it/b")
    for seen in ({"tenant": "hr"}, {"reach": Reach.of(["hr"])}):
        changed = changes.after(0, limit=9, **seen)
        assert (list(changed.ids), changed.number) == (["hr-a"], changes.latest())


def test_no_change_is_missed_while_many_write(store: DocumentStore, changes: Changes) -> None:
    """A follower has seen the last change of each document when all is written."""
    seen: dict[str, int] = {}
    written = threading.Event()

    def follow() -> None:
        number = 0
        while True:
            is_last = written.is_set()
            changed = changes.after(number, limit=1_000)
            number = changed.number
            seen.update({record.id: record.size for record in store.get_many(changed.ids).values()})
            if is_last:
                return

    def write(worker: int) -> None:
        for size in range(1, 6):
            name = f"{worker}-{size % 2}"
            put(store, name)
            change(store, name, size=100 * size)

    with ThreadPoolExecutor() as pool:
        follower = pool.submit(follow)
        list(pool.map(write, range(3)))
        written.set()
        follower.result()
    assert seen == {f"{worker}-{odd}": 100 * (4 + odd) for worker in range(3) for odd in range(2)}
