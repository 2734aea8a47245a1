"""What every audit log promises (ports/audit_log.py)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from ragbase.access.read_audit import entries_of
from ragbase.access.verify_audit import verify
from ragbase.domain.audit import BEGINNING, Action, AuditEntry, AuditOutcome, Deed, hash_of
from ragbase.ports import AuditLog, EntryPlace

OpenedLog = Callable[[], AuditLog]
"""Opens the same log as another process would."""

_START = datetime(2026, 1, 1, tzinfo=UTC)


def deed(number: int, *, caller: str = "key:0123456789abcdef") -> Deed:
    """One a second."""
    return Deed(
        at=_START + timedelta(seconds=number),
        action=Action.QUERY,
        outcome=AuditOutcome.DONE,
        caller=caller,
        address="192.0.2.1",
        request_id=f"request-{number}",
        details={"question": f"{number:032x}", "odd": "ü\udc00 \"'"},
    )


def requests(entries: list[AuditEntry]) -> list[str]:
    return [str(entry.fields()["request"]) for entry in entries]


def kept(log: AuditLog) -> list[AuditEntry]:
    return [entry for chain in log.chains() for entry in entries_of(chain, log) if entry.fields()["request"]]


class AuditLogContract:
    """Inherit from it, and give it a fixture `opened`."""

    @pytest.fixture
    def log(self, opened: OpenedLog) -> AuditLog:
        return opened()

    def test_a_new_log_is_empty_and_sound(self, log: AuditLog) -> None:
        assert kept(log) == []
        assert list(log.newest(limit=10)) == []
        assert verify(log).is_sound

    def test_entries_follow_each_other_from_one_on(self, log: AuditLog) -> None:
        first = log.append([deed(1), deed(2)])
        second = log.append([deed(3)], durable=False)
        entries = [*first, *second]
        assert log.can_append
        assert kept(log) == entries
        assert [entry.number for entry in entries] == [1, 2, 3]
        assert [entry.fields()["previous"] for entry in entries] == [BEGINNING, entries[0].hash, entries[1].hash]
        assert all(hash_of(entry.text) == entry.hash for entry in entries)
        assert entries[0].fields()["details"] == {"question": f"{1:032x}", "odd": "ü\udc00 \"'"}
        assert verify(log).heads[-1].hash == entries[-1].hash

    def test_nothing_is_appended_without_deeds(self, log: AuditLog) -> None:
        assert list(log.append([])) == []
        assert kept(log) == []

    def test_pages_of_a_chain_have_every_entry_once(self, log: AuditLog) -> None:
        entries = log.append([deed(number) for number in range(1, 8)])
        chain = entries[0].chain
        assert [list(log.chain(chain, after=after, limit=3)) for after in (0, 3, 6, 7)] == [
            list(entries[:3]),
            list(entries[3:6]),
            list(entries[6:]),
            [],
        ]
        assert list(log.chain("another", limit=3)) == []

    def test_the_newest_come_first_whoever_wrote_them(self, opened: OpenedLog) -> None:
        one, other = opened(), opened()
        one.append([deed(1), deed(4)])
        other.append([deed(2)])
        one.append([deed(3)])
        other.append([deed(5)])
        first = list(one.newest(limit=2))
        assert requests(first) == ["request-5", "request-4"]
        second = list(one.newest(before=first[-1], limit=2))
        assert requests(second) == ["request-3", "request-2"]
        assert requests(list(other.newest(before=second[-1], limit=2))) == ["request-1"]

    def test_entries_of_the_same_moment_come_once_each(self, log: AuditLog) -> None:
        log.append([deed(1) for _ in range(5)])
        seen: list[AuditEntry] = []
        place: EntryPlace | None = None
        while page := log.newest(before=place, limit=2):
            seen += page
            place = EntryPlace(page[-1].at, page[-1].chain, page[-1].number)
        assert sorted(entry.number for entry in seen) == [1, 2, 3, 4, 5]

    def test_many_threads_and_processes_leave_a_sound_log(self, opened: OpenedLog) -> None:
        logs = [opened(), opened()]

        def write(number: int) -> None:
            logs[number % 2].append([deed(number), deed(number)], durable=number % 3 == 0)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(write, range(40)))
        found = verify(opened())
        assert found.is_sound, found.breaks
        assert sorted(requests(kept(opened()))) == sorted(f"request-{number}" for number in [*range(40)] * 2)

    def test_a_head_that_was_kept_is_found_again(self, log: AuditLog) -> None:
        log.append([deed(1)])
        heads = [head.hash for head in verify(log).heads]
        log.append([deed(2)])
        assert verify(log, heads=heads).is_sound
        assert list(verify(log, heads=["0" * 64]).missing) == ["0" * 64]
