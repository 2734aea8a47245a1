"""What must hold at every moment of a run, whatever goes wrong. It checks each change and each query result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from ragbase.domain.chunk import Chunk
from ragbase.domain.document import Change, Document, IndexedGeneration, Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.given_text import GivenText
from ragbase.domain.identity import document_id, text_hash
from ragbase.domain.index import Index
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.lease import HOLD_LEASE, Lease
from ragbase.domain.limits import LONGEST_WAIT, MAX_RETRIES
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.pipeline.read_given_text import format_with
from ragbase.ports import Clock
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.clock import START
from ragbase.testing.indexes import MemoryIndexes
from ragbase.testing.vector_store import MemoryVectorStore
from tests.simulated_world.contents import RELEASES, Expected, Facts, expected, expected_given, release_of
from tests.simulated_world.extractor_promises import ExtractorPromises, has_no_answer, is_given, is_handed_out
from tests.simulated_world.message_queue import Duplicate, Task
from tests.simulated_world.part_promises import PartPromises, is_left_to_parts, most_attempts, part_leases
from tests.simulated_world.violation import Violation

TIME_LIMIT = timedelta(minutes=4)
"""How long an attempt may take in a simulated world."""
AT_ONCE = timedelta(seconds=100)
"""How long a worker may take from its look at the hold to its flip: a reindex waits as long before its last passes.
Only a worker that stalls takes longer."""
_ALL = 1000
"""More chunks than a world holds."""
FLIPS_SEEN = 2
"""How many flips during one query it can handle: it searches at most four times (retrieval/active_chunks.py)."""


History = dict[str, list[tuple[int, int | None]]]


@dataclass(slots=True)
class Promises:
    """Watches records, chunks, payments and query results. `now` counts the changes so far."""

    indexes: MemoryIndexes
    clock: Clock
    """Its time only passes; that of `wall`, which the pipeline sees, may be put right."""
    wall: Clock
    extractor: ExtractorPromises | None = None
    """None if the lanes read all files, and every callback is taken."""
    written: dict[tuple[str, int], bytes] = field(default_factory=dict)
    """The bytes of every uploaded generation, by document id and generation; and every given text, in UTF-8."""
    given: dict[tuple[str, int], int] = field(default_factory=dict)
    """The number of the last text that was given for an upload, by document id and the upload's generation."""
    names: dict[str, str] = field(default_factory=dict)
    deleted: dict[str, int] = field(default_factory=dict)
    """The place of the last upload that a user deleted, by document id."""
    records: dict[str, Document] = field(default_factory=dict)
    now: int = 0
    running: list[Task] = field(default_factory=list)
    payments: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often a text was embedded, by document id and text hash."""
    rebuilt: int = 0
    """How many texts reindexes have embedded, over all documents."""
    last_switch: int = 0
    """The value of `now` at the last switch of the index; 0 if there was none."""
    held_until: datetime | None = None
    """Until when flips are held."""
    was_held: bool = False
    """Whether flips were ever held."""
    late_flips: set[str] = field(default_factory=set)
    """The documents that were flipped by a worker that had stalled since it looked whether flips are held."""
    late_writes: set[str] = field(default_factory=set)
    """The documents of which a write took effect so late that the lease was over, or the attempt."""
    damaged: set[str] = field(default_factory=set)
    """The documents for which the index was damaged, or changed by a call that had failed, until they are whole again.
    """
    unsent: set[str] = field(default_factory=set)
    """The documents for which a repair, or a lane that its queue no longer hears, may have stopped between its change
    of the record and the job."""
    disturbed: set[str] = field(default_factory=set)
    """The documents in work whose chunks a late write or deletion has changed, until they are whole again."""
    parts: PartPromises = field(default_factory=lambda: PartPromises(TIME_LIMIT))
    retried: set[str] = field(default_factory=set)
    """The documents that got another round of attempts."""
    _places: dict[tuple[str, int], int] = field(default_factory=dict)
    """Which upload a generation was, counted from 1, by document id and generation. Its number says nothing of that."""
    _heard: Counter[str] = field(default_factory=Counter)
    """The place of the oldest upload that a record may still want, after the events that the router has handled."""
    _active: History = field(default_factory=lambda: defaultdict(lambda: [(0, None)]))
    """Which generation was active, and since when, by document id."""
    _whole: History = field(default_factory=lambda: defaultdict(lambda: [(0, None)]))
    """The same, but only for generations that the current index holds."""
    _leases: dict[tuple[str, str, int], datetime] = field(default_factory=dict)
    """Until when each claim last held the lease of a document, by document id, worker and number."""
    _claimed_until: dict[tuple[str, str, int], datetime] = field(default_factory=dict)
    """Until when each claim held its lease at first, by document id, worker and number."""
    _waits: dict[str, datetime] = field(default_factory=dict)
    """Since when each document waits for a service, by the time that only passes."""
    _attempts: dict[tuple[str, int, Lane], dict[str, Task]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def vectors(self) -> MemoryVectorStore:
        """The chunks of the current index that belong to no folder, or all if it is not split by tenant."""
        return self.indexes.open(self._current)

    def vectors_of(self, document_id: str) -> MemoryVectorStore:
        """The partition of the current index that has the chunks of this document."""
        return self._partition(self._current, document_id)

    def _partition(self, index: Index, document_id: str) -> MemoryVectorStore:
        return self.indexes.open(index, index.tenant_of(self.names.get(document_id, "")))

    @property
    def _current(self) -> Index:
        current = self.indexes.current()
        if current is None:
            raise AssertionError("a world begins with an index")
        return current

    def uploaded(self, document_id: str, generation: int, data: bytes) -> None:
        self.written[document_id, generation] = data
        self._places[document_id, generation] = len(self._places) + 1

    def removed_by_user(self, document_id: str, generation: int) -> None:
        self.deleted[document_id] = self._places[document_id, generation]

    def routed(self, event: ObjectEvent) -> None:
        """Check that the router has taken in the event, and that it stays so: from now on, the record is never again of
        an upload before this one, nor of this one if it is gone."""
        if event.overwritten:
            return  # the generation that has replaced it has an event of its own
        id = document_id(event.bucket, event.name)
        oldest = self._places[id, event.generation] + (event.kind is EventKind.DELETED)
        self._heard[id] = max(self._heard[id], oldest)
        record = self.records.get(id)
        if record is not None:
            self._is_not_behind(record)

    def expected(self, document_id: str, generation: int, made: IndexedGeneration | None = None) -> Expected:
        """What a clean run makes of the generation with the settings that have made it."""
        return self._expected(document_id, generation, release_of(made) if made is not None else 0)

    def _expected(self, document_id: str, generation: int, release: int) -> Expected:
        data = self.written[document_id, generation]
        return (
            expected(self.names[document_id], data, release)
            if generation > 0
            else expected_given(data.decode(), release)
        )

    def _facts(self, document_id: str, generation: int) -> list[set[Facts]]:
        """The facts of the chunks that the settings of each release make."""
        return [set(self._expected(document_id, generation, release).facts) for release in range(len(RELEASES))]

    def changed(self, change: Change, task: Task) -> None:
        """Check a changed record: it does not go back, and the index holds all of what search shows."""
        before, after = change.before, change.after
        if after is None or after is before:
            return
        self.now += 1
        self.records[after.id] = after
        for lease in (after.lease, *part_leases(after)):
            if lease is not None:
                self._leases[after.id, lease.worker, lease.claim] = lease.until
        if after.lease is not None and not after.lease.same_claim(before.lease if before is not None else None):
            task.claims.add((after.lease.worker, after.lease.claim))
        if before is not None:
            self._no_step_back(before, after)
            self._respects_lease(before, after, task)
            self._is_an_allowed_claim(before, after, task)
            self._ends_in_time(before, after)
            self._counts_attempts(before, after, task)
            self.parts.changed(before, after, task, self.wall.now())
        self._note_wait(after)
        self._note_given(before, after)
        self._is_consistent(after)
        self._is_not_behind(after)
        if after.tombstone and self.deleted.get(after.id, 0) < self._place(after):
            raise Violation("tombstone", f"{after.name}: a tombstone, but nobody has deleted the document")
        self._note_shown(after)
        shown = after.active.generation if after.active else None
        was = before.indexed_in(self._current.name) if before is not None else None
        if was is not None and shown is None and after.is_of(was.of_file):
            raise Violation("hidden", f"{after.name}: search no longer shows what the bucket holds")
        flipped = shown is not None and not (before is not None and before.shows(shown))
        if flipped and (before is None or before.lease is None or not holds(task, before.lease)):
            raise Violation("lease", f"{after.name}: flipped by a worker that does not hold the lease")
        if flipped and task.looked is not None and task.looked < self.clock.now() - AT_ONCE:
            self.late_flips.add(after.id)
        if shown is not None and (before is None or before.active != after.active):
            self.is_whole(after.id)
        closed = before is not None and before.status in (Status.FAILED, Status.COMPLETED)
        if closed and after.status is Status.PENDING:
            self.retried.add(after.id)
            for lane in Lane:
                self._attempts.pop((after.id, after.wanted, lane), None)

    def _note_wait(self, record: Document) -> None:
        if record.waiting_since is None:
            self._waits.pop(record.id, None)
        else:
            self._waits.setdefault(record.id, self.clock.now())

    def _note_given(self, before: Document | None, after: Document) -> None:
        if self.extractor is not None:
            self.extractor.changed(before, after)
        text = after.given_text
        if text is not None and is_given(before, after):
            self.given[after.id, text.of] = text.generation

    def _note_shown(self, record: Document) -> None:
        made = record.indexed_in(self._current.name) if record.id not in self.damaged else None
        for history, holder in ((self._active, record.active), (self._whole, made)):
            generation = holder.generation if holder is not None else None
            if generation != history[record.id][-1][1]:
                history[record.id].append((self.now, generation))

    def _ends_in_time(self, before: Document, after: Document) -> None:
        """Check that no lease is renewed after the time limit of its attempt."""
        lease = after.lease
        if lease is None:
            return
        claim = (after.id, lease.worker, lease.claim)
        if not lease.same_claim(before.lease):
            self._claimed_until[claim] = lease.until
        elif lease.until > self._claimed_until[claim] + TIME_LIMIT:
            raise Violation("time limit", f"{after.name}: a lease was renewed after the time of its attempt")

    def _respects_lease(self, before: Document, after: Document, task: Task) -> None:
        """While a worker holds a lease, nobody else claims the document or gives it up."""
        lease = before.lease
        if lease is None or holds(task, lease) or not lease.runs(self.wall.now()):
            return
        if after.lease is not None and not lease.same_claim(after.lease):
            raise Violation("lease", f"{after.name}: a lease was taken before it ran out")
        if after.lease is None and after.needs_work and after.wanted == before.wanted:
            raise Violation("lease", f"{after.name}: a worker gave back the lease of another")
        if given_up(after) and after.wanted == before.wanted:
            raise Violation("lease", f"{after.name}: given up while a worker is working on it")

    def is_whole(self, document_id: str) -> None:
        """Check that search shows exactly the text of the document's active generation."""
        record = self.records.get(document_id)
        made = record.indexed_in(self._current.name) if record is not None else None
        if record is None or made is None:
            return
        if self._holds(document_id, made):
            self.damaged.discard(document_id)
            self.disturbed.discard(document_id)
            self._note_shown(record)
        elif document_id in self.damaged:
            return
        elif document_id in self.disturbed or (
            document_id in self.late_writes and self._has_surplus(document_id, made)
        ):
            self.damaged.add(document_id)  # it came between the proof and the flip: the janitor finds it
        elif not (record.needs_work or record.has_failed) or not self._is_in_repair(document_id, made.generation):
            raise Violation(
                "half shown",
                f"{record.name}: search shows a generation, but the store holds other chunks",
            )
        expected = self.expected(document_id, made.generation, made)
        if made.chunk_count != len(expected.passages):
            raise Violation(
                "counters", f"{record.name}: {made.chunk_count} chunks recorded, {len(expected.passages)} made"
            )

    def _holds(self, document_id: str, made: IndexedGeneration) -> bool:
        """Whether the current index holds exactly the text of the generation, cut as its record says."""
        held = [facts_of(one.chunk) for one in self.vectors_of(document_id).read(document_id, made.generation)]
        return held == self.expected(document_id, made.generation, made).facts

    def _holds_a_cut(self, document_id: str, generation: int) -> bool:
        """Whether the current index holds exactly the text of the generation, as the settings of one release cut it."""
        held = {facts_of(one.chunk) for one in self.vectors_of(document_id).read(document_id, generation)}
        return held in self._facts(document_id, generation)

    def _has_surplus(self, document_id: str, made: IndexedGeneration) -> bool:
        """Whether the current index, which does not hold exactly the text, holds all of it: then it holds more."""
        held = {facts_of(one.chunk) for one in self.vectors_of(document_id).read(document_id, made.generation)}
        return held >= set(self.expected(document_id, made.generation, made).facts)

    def _is_in_repair(self, document_id: str, generation: int) -> bool:
        """Whether the current index holds all of the text, as the settings of one release cut it, and else only chunks
        of the other release: a repair with other settings may stop there."""
        held = {facts_of(one.chunk) for one in self.vectors_of(document_id).read(document_id, generation)}
        cuts = self._facts(document_id, generation)
        return any(cut <= held for cut in cuts) and held <= union(cuts)

    def damage(self, document_id: str) -> None:
        """Something that is no fault of the pipeline has changed what the index holds of the document."""
        record = self.records.get(document_id)
        for task in self.running:
            task.disturbed.add(document_id)
        if record is not None and record.needs_work:
            self.disturbed.add(document_id)
        made = record.indexed_in(self._current.name) if record is not None else None
        if record is not None and made is not None and not self._holds(document_id, made):
            self.now += 1
            self.damaged.add(document_id)
            self._note_shown(record)
        self._forget_removed(document_id)

    def removed_late(self, document_id: str) -> None:
        """A call that had failed, or that stood still until its worker's lease was over, has removed chunks. The task
        that wrote them a moment ago cannot know. It proves its chunks before it shows them."""
        for task in self.running:
            task.robbed.add(document_id)

    def begins_to_write(self, document_id: str, task: Task) -> None:
        """A lane is about to write chunks: only while its worker's lease lasts."""
        if self.is_late(document_id, task):
            raise Violation("fence", f"{self.names[document_id]}: a worker writes after its lease")

    def wrote(self, document_id: str, task: Task) -> None:
        """A lane has written chunks. If its worker stalled meanwhile, the document may have moved on."""
        if self.is_late(document_id, task):
            self.late_writes.add(document_id)
            self.damage(document_id)
        if isinstance(task.message.body, Job):
            task.written.add((document_id, task.message.body.generation, task.index))
        self.is_whole(document_id)

    def stored_text(self, document_id: str, task: Task) -> None:
        """A lane has stored the text of a part. If its worker stalled meanwhile, the document may have moved on."""
        if self.is_late(document_id, task):
            self.parts.left.add(document_id)

    def is_late(self, document_id: str, task: Task) -> bool:
        """Whether the task's lease of the document, or of a part of it, is over."""
        ends = (self._leases.get((document_id, worker, claim)) for worker, claim in task.claims)
        return max(filter(None, ends), default=START) <= self.wall.now()

    def stopped(self, label: str, arguments: Sequence[Any]) -> None:
        """A call of a command fails, or of a lane that its queue no longer hears. A comparison reports that, and goes
        on with the other documents; what the lane was about to publish is left to the janitor."""
        if label == "documents.update":
            self.unsent.add(arguments[0])
        elif label == "publisher.publish":
            self.unsent.add(arguments[1].document_id)
        elif label == "dead_letters.keep":  # the job was refused, and the record does not say so yet
            self.unsent.add(arguments[0].document_id)

    def owner(self, chunks: Sequence[str]) -> str:
        """The document of chunks that the current index holds; they all belong to one. Empty if it holds none."""
        stores = (self.indexes.open(self._current, tenant) for tenant in self.indexes.tenants(self._current))
        return next((one.document_id for store in stores for one in store.scan(limit=_ALL) if one.id in chunks), "")

    def finished(self, task: Task) -> None:
        """Check a job that is done: it leaves nothing of a generation that the document has moved on from, and that
        was never shown. Nobody else removes that, except those who work on the same generation.

        One who has written, and then sees that the document is FAILED, leaves chunks that are still needed. So it is if
        an extractor elsewhere says that a file is unreadable while a lane works on it. If the document moves on after
        that, the job of this change finds the chunks, and removes them: `check_stale_chunks` sees whether it does.

        What it wrote into an index that is no longer the current one goes with that index. Chunks of the same
        generation in the new one are another worker's, who may have written them while they were needed."""
        for id, generation, index in task.written:
            if index != self._current.name:
                continue
            was_shown = any(shown == generation for _, shown in self._active[id])
            others = [one.message.body for one in self.running if one is not task]
            is_in_work = any(isinstance(job, Job) and job.generation == generation for job in others)
            seen = task.seen[id]
            was_needed = seen.status is Status.FAILED and seen.wants(generation)
            if was_shown or is_in_work or was_needed or id in self.late_writes or self.records[id].needs(generation):
                continue
            if self.vectors_of(id).read(id, generation):
                raise Violation("leftovers", f"{self.names[id]}: a worker leaves chunks that nobody needs")

    def wanted(self, document_id: str, release: int | None) -> set[Facts]:
        """The facts of the chunks that the store holds of the generation that the record wants. Those that are too many
        are not: if all are there that the settings of this `release` make, all others."""
        record = self.records.get(document_id)
        if record is None or record.tombstone:
            return set()
        held = {facts_of(one.chunk) for one in self.vectors_of(document_id).read(document_id, record.wanted)}
        cuts = self._facts(document_id, record.wanted)
        is_made = release is not None and cuts[release] <= held
        return held & (cuts[release] if release is not None and is_made else union(cuts))

    def removed(self, document_id: str, wanted_before: set[Facts]) -> None:
        """Check removed or replaced chunks: the generation that the record wants keeps its own, which are shown or paid
        for."""
        record = self.records.get(document_id)
        held = self.vectors_of(document_id).read(document_id, record.wanted) if record is not None else []
        if not wanted_before <= {facts_of(one.chunk) for one in held}:
            name = self.names[document_id]
            raise Violation("removed", f"{name}: chunks of the generation that its record wants were removed")
        self.is_whole(document_id)
        self._forget_removed(document_id)

    def _forget_removed(self, document_id: str) -> None:
        """What is gone from the store may be paid for again."""
        # Not known here: from which index. A text counts as held only if every index has it.
        held = [set(self._partition(index, document_id).embeddings(document_id)) for index in self.indexes.all()]
        kept = {(document_id, hash) for hash in set.intersection(*held)}
        for task in self.running:
            task.held = {one for one in task.held if one[0] != document_id or one in kept}

    def switched(self, task: Task) -> None:
        """Check a switch: the new index holds every document whose newest generation is active.

        One that breaks a reindex again and again must not stop it: after MAX_RETRIES more tries the lanes get it.
        """
        self.now += 1
        self.last_switch = self.now
        # If the reindex itself stalls between its look at the hold and its switch, the hold runs out.
        has_stalled = task.looked is not None and task.looked < self.clock.now() - HOLD_LEASE / 2
        left_to_lanes = task.breaks // (MAX_RETRIES + 1)
        for record in self.records.values():
            self._note_shown(record)
            self._forget_removed(record.id)
            self.is_whole(record.id)
            is_missing = record.shows(record.wanted) and record.indexed_in(self._current.name) is None
            # A reindex that stood still may have taken the note of this one. The chunks are there all the same.
            if is_missing and self._holds_a_cut(record.id, record.wanted):
                continue
            if is_missing and not has_stalled and record.id not in self.late_flips:
                left_to_lanes -= 1
                if left_to_lanes >= 0:
                    continue
                raise Violation("hidden", f"{record.name}: the index was switched to one that does not hold it")

    def _is_an_allowed_claim(self, before: Document, after: Document, task: Task) -> None:
        """Check a claim: there are no more attempts in one lane than the contract allows."""
        if after.lease is None or after.lane is None or after.lease.same_claim(before.lease):
            return
        attempts = self._attempts[after.id, after.wanted, after.lane]
        attempts[task.name] = task
        counted = sum(not one.is_excused for one in attempts.values())
        if counted > MAX_RETRIES + 1:
            raise Violation("retries", f"{after.name}: tried {counted} times in one lane")

    def _counts_attempts(self, before: Document, after: Document, task: Task) -> None:
        """Check that an attempt is taken back only with a reason, and that a document is given up only after all its
        attempts, after the longest wait, or if the dead-letter function cannot publish its job."""
        if after.wanted != before.wanted:
            return
        is_given_back = before.lease is not None and after.lease is None and before.lane is after.lane
        if is_given_back and before.needs_work and after.needs_work:
            was_away = task.is_excused and not task.is_broken
            if is_left_to_parts(before, after) or is_handed_out(before, after):
                task.is_excused = True
            elif after.attempts < before.attempts:
                # The proof of the chunks fails if a worker that had stalled has changed them: not the document's fault.
                is_disturbed = after.id in self.disturbed | task.disturbed
                if not (task.is_excused or task.paid or is_disturbed or self.last_switch or self.was_held):
                    raise Violation("retries", f"{after.name}: an attempt is not counted, but no service was away")
                task.is_excused = True
            elif was_away:
                raise Violation("outage", f"{after.name}: an attempt counts, but a service was away")
        since = self._waits.get(after.id)
        waited = since is not None and self.clock.now() - since >= LONGEST_WAIT / 2  # its clock may be put right
        ends = given_up(after) and before.needs_work
        asked = task.message.body
        is_replaced = isinstance(asked, ObjectEvent) and asked.generation != after.generation
        if ends and not waited and not task.is_broken and not is_replaced and most_attempts(before) <= MAX_RETRIES:
            code = after.failure.code if after.failure is not None else None
            ended = f"{after.status} with the failure {code}, which says that its attempts have ended"
            raise Violation("given up", f"{after.name}: {ended}, after only {before.attempts} and no long wait")

    def paid(self, document_id: str, task: Task, texts: Sequence[str]) -> None:
        """Check embedded texts: none was paid for by this attempt before, and none was always in the store."""
        for text in texts:
            key = (document_id, text_hash(text))
            if key in task.held or key in task.paid:
                raise Violation("paid twice", f"{self.names[document_id]}: {text[:40]!r} was embedded again")
            mine = {one for one in task.duplicates if one.release == task.instance.release}
            always = (
                mine and {one for one in self.duplicates(document_id) if one.release == task.instance.release} == mine
            )
            if always and not self.damaged:  # a look for a duplicate may find a damaged one
                raise Violation("paid twice", f"{self.names[document_id]}: embedded, but it always had a duplicate")
            task.paid.add(key)
            self.payments[key] += 1

    def duplicates(self, document_id: str) -> set[Duplicate]:
        """The active documents with the same bytes and the same format as the record, their generations, and the
        current index. None if one of them is in another index: a search for a duplicate may find that one."""
        record = self.records.get(document_id)
        if record is None:
            return set()
        found = [
            (one.id, one.active)
            for one in self.records.values()
            if one.active is not None
            and self._current.same_tenant(one.name, record.name)
            and one.active.md5 == record.md5
            and one.active.fingerprint.partition("|")[0] == format_with(record.given_text, record.format)
            and _hash(one.active.given) == _hash(record.given_text)
        ]
        if any(active.index_name != self._current.name for _, active in found):
            return set()
        return {
            Duplicate(id, active.generation, active.index_name, release_of(active))
            for id, active in found
            if len(self.vectors_of(id).read(id, active.generation)) == active.chunk_count
        }

    def answered(self, results: Sequence[SearchResult], begun: int, *, everything: bool) -> None:
        """Check the results of a query that began at `begun`. With `everything` it asked for all chunks."""
        generations: dict[str, set[int]] = defaultdict(set)
        found: dict[str, set[Facts]] = defaultdict(set)
        for result in results:
            for source in result.sources:
                chunk = source.chunk
                generations[chunk.document_id].add(chunk.generation)
                found[chunk.document_id].add(facts_of(chunk))
                if facts_of(chunk) not in union(self._facts(chunk.document_id, chunk.generation)):
                    raise Violation("citation", f"{source.document.name}: a result is not the text at its offsets")
                if source.document.id != chunk.document_id or not source.document.shows(chunk.generation):
                    raise Violation("mixture", f"{source.document.name}: a chunk is shown with another document")
        for id, several in generations.items():
            if len(several) > 1:
                raise Violation("mixture", f"{self.names[id]}: the results show {len(several)} generations")
            if not several <= self._since(begun, self._active[id]):
                raise Violation("stale", f"{self.names[id]}: a result shows what was not active during the query")
        if everything:
            self._nothing_hidden(generations, found, begun)

    def _nothing_hidden(self, generations: dict[str, set[int]], found: dict[str, set[Facts]], begun: int) -> None:
        if self.last_switch > begun:
            return  # the index was switched during the query
        flips = sum(len(self._since(begun, self._whole[id])) - 1 for id in self.names)
        if flips > FLIPS_SEEN:
            return
        for id, name in self.names.items():
            if None in self._since(begun, self._whole[id]):
                continue  # it was not active all the time
            if not generations[id]:
                raise Violation("hidden", f"{name}: active all the time, but no result shows it")
            (generation,) = generations[id]
            if not any(cut <= found[id] for cut in self._facts(id, generation)):
                raise Violation("hidden", f"{name}: active all the time, but the results show only a part of it")

    def _since(self, begun: int, history: list[tuple[int, int | None]]) -> set[int | None]:
        """All generations in the history since `begun`. None means that there was a moment without one."""
        starts = [*history, (self.now + 1, None)]
        return {shown for (_, shown), (end, _) in pairwise(starts) if end > begun}

    def _place(self, record: Document) -> int:
        """Which upload the record is of."""
        return self._places[record.id, record.generation]

    def _is_not_behind(self, record: Document) -> None:
        if not record.tombstone and self._place(record) < self._heard[record.id]:
            raise Violation("step back", f"{record.name}: of a generation that is known to be gone")

    def _no_step_back(self, before: Document, after: Document) -> None:
        if self._place(after) < self._place(before):
            raise Violation("step back", f"{after.name}: the record went back to an earlier upload")
        if before.tombstone and not after.tombstone and after.generation == before.generation:
            raise Violation("step back", f"{after.name}: a deleted generation came back to life")
        if (before.status, after.status) == (Status.COMPLETED, Status.FAILED) and before.wanted == after.wanted:
            raise Violation("step back", f"{after.name}: COMPLETED, and then FAILED")

    def _is_consistent(self, record: Document) -> None:
        if record.attempts > MAX_RETRIES + 1:
            raise Violation("retries", f"{record.name}: {record.attempts} attempts")
        if record.tombstone and record.active is not None:
            raise Violation("stale", f"{record.name}: deleted, but still shown")
        if record.status is Status.FAILED and (record.failure is None or record.active is not None):
            raise Violation("records", f"{record.name}: FAILED, but without a reason or still shown")
        if record.status is Status.COMPLETED and not record.tombstone and not record.shows_its_file:
            raise Violation("records", f"{record.name}: COMPLETED, but not shown")
        active = record.active
        if active is not None and self._places[record.id, active.of_file] > self._place(record):
            raise Violation("records", f"{record.name}: shows a generation that its record does not know")


def union(cuts: Iterable[set[Facts]]) -> set[Facts]:
    return {facts for cut in cuts for facts in cut}


def facts_of(chunk: Chunk) -> Facts:
    return chunk.ordinal, chunk.text, chunk.char_start, chunk.char_end


def _hash(text: GivenText | None) -> str | None:
    return text.hash if text is not None else None


def holds(task: Task, lease: Lease) -> bool:
    return (lease.worker, lease.claim) in task.claims


def given_up(record: Document) -> bool:
    """Whether its last round of attempts failed, and not because of its content or of an extractor elsewhere."""
    codes = (ErrorCode.INTERNAL_ERROR, ErrorCode.TIMEOUT)
    failure = record.failure if record.has_failed and not has_no_answer(record) else None
    return failure is not None and failure.code in codes
