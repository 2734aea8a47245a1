"""What must hold at every change of the parts of a long document."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ragbase.domain.document import Document
from ragbase.domain.lease import Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.reading import DocumentPart, Reading
from tests.simulated_world.message_queue import Task
from tests.simulated_world.violation import Violation


@dataclass(slots=True)
class PartPromises:
    """Watches the readings in records. `time_limit` is how long an attempt may take."""

    time_limit: timedelta
    stored: set[tuple[str, int, str]] = field(default_factory=set)
    """Document id, generation and name of each text of a part that was ever stored."""
    left: set[str] = field(default_factory=set)
    """The documents of which texts may be left to the janitor. A worker that has stalled beyond its lease may store one
    when nobody reads the document in parts any more, and die. And a job that the queue gives up cleans up no more."""
    _claimed_until: dict[tuple[str, str, int], datetime] = field(default_factory=dict)
    """Until when each claim of a part held its lease at first, by document id, worker and number."""

    def changed(self, before: Document, after: Document, task: Task, now: datetime) -> None:
        """Check a changed record that was reading the same generation before."""
        was, reading = before.reading, after.reading
        self._note_claims(before, after, task)
        if was is None or reading is None or before.wanted != after.wanted:
            return
        if not _same_plan(was, reading):
            if was.is_in_work(now):
                raise Violation("plan", f"{after.name}: a new plan, while somebody follows the one before")
            return
        for number, (old, new) in enumerate(zip(was.parts, reading.parts, strict=True), start=1):
            if old != new:
                name = f"{after.name}, part {number}"
                self._is_an_allowed_change(name, old, new, task, now)
                is_stored = (after.id, after.wanted, reading.text_name(new)) in self.stored
                if new.is_read and not old.is_read and not is_stored:
                    raise Violation("parts", f"{name}: counts as read, but its text was never stored")

    def _is_an_allowed_change(self, name: str, old: DocumentPart, new: DocumentPart, task: Task, now: datetime) -> None:
        held = old.lease
        is_mine = held is not None and (held.worker, held.claim) in task.claims
        if held is not None and not is_mine and held.runs(now) and not held.same_claim(new.lease):
            raise Violation("lease", f"{name}: its lease was taken before it ran out")
        if old.is_read and new.lease is not None:
            raise Violation("read twice", f"{name}: claimed, although it is read")
        if new.attempts > MAX_RETRIES + 1:
            raise Violation("retries", f"{name}: {new.attempts} attempts")
        if new.is_read and not old.is_read and not is_mine:
            raise Violation("lease", f"{name}: read by a worker that does not hold its lease")
        is_given_back = held is not None and new.lease is None and not new.is_read
        was_away = task.is_excused and not task.is_broken
        if is_given_back and new.attempts == old.attempts and was_away:
            raise Violation("outage", f"{name}: an attempt counts, but a service was away")
        if new.attempts < old.attempts and not (is_given_back and task.is_excused):
            raise Violation("retries", f"{name}: an attempt is not counted, but no service was away")

    def _note_claims(self, before: Document, after: Document, task: Task) -> None:
        known = {_key(after.id, lease) for lease in part_leases(before)}
        for lease in part_leases(after):
            key = _key(after.id, lease)
            if key not in known:
                task.claims.add((lease.worker, lease.claim))
                self._claimed_until[key] = lease.until
            elif lease.until > self._claimed_until[key] + self.time_limit:
                raise Violation("time limit", f"{after.name}: the lease of a part was renewed after its attempt")


def most_attempts(record: Document) -> int:
    """Those at the document itself, or at that of its parts which had most."""
    parts = record.reading.parts if record.reading is not None else ()
    return max([record.attempts, *(part.attempts for part in parts)])


def is_left_to_parts(before: Document, after: Document) -> bool:
    """Whether a worker has given the document back for others to read its parts."""
    return before.lease is not None and after.lease is None and after.is_reading(after.wanted)


def _same_plan(one: Reading, other: Reading) -> bool:
    return one.reader == other.reader and [part.pages for part in one.parts] == [part.pages for part in other.parts]


def part_leases(record: Document) -> Collection[Lease]:
    parts = record.reading.parts if record.reading is not None else ()
    return [part.lease for part in parts if part.lease is not None]


def _key(document_id: str, lease: Lease) -> tuple[str, str, int]:
    return document_id, lease.worker, lease.claim
