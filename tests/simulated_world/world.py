"""A simulated world: users and their bucket, the pipeline on memory adapters, its queue, and faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from ragbase.domain.document import Document
from ragbase.domain.errors import DocumentNotFound, ErrorCode, IndexGone, PermanentError, TransientError
from ragbase.domain.identity import chunk_id, document_id
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.name_forms import nfd
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.tenant import Tenancy
from ragbase.ports import StoredObject, Topic
from ragbase.ports.canonical_bucket import CanonicalBucket
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.dead_letters import MemoryDeadLetters
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.given_texts import MemoryGivenTexts
from ragbase.testing.indexes import MemoryIndexes
from ragbase.testing.part_texts import MemoryPartTexts
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.testing.word_boxes import MemoryWordBoxes
from ragbase.upkeep.reconcile.compare import GRACE
from ragbase.upkeep.reconcile.report import Report
from tests.simulated_world.contents import CONTENTS, GOOD
from tests.simulated_world.extractor_promises import ExtractorPromises
from tests.simulated_world.faults import Crash, Faults, Jump
from tests.simulated_world.history import Act, Operation
from tests.simulated_world.message_queue import (
    FEWEST_DELIVERIES,
    MOST_DELIVERIES,
    Command,
    Message,
    MessageQueue,
    Task,
)
from tests.simulated_world.promises import Promises
from tests.simulated_world.schedule import Schedule
from tests.simulated_world.steps import Steps, Trace
from tests.simulated_world.use_cases import UseCases, first_index

BUCKET = "bucket"
UPLOADS, COMMANDS, TRIALS = "uploads", "commands", "trials"
"""Topics: the bucket's events; commands that are repeated until they work; commands that are repeated a few times."""
_MOST_TURNS = 100_000
"""Many times as many as a usual history needs. An outage of an hour has many deliveries and heartbeats."""
_SUPERVISED = 0.5
"""The share of dead workers whose leases are ended at once. The leases of the others run out."""
_BUSY = 0.5
"""The share of reindexes during which uploads go on."""
_UPLOADED = 4
"""Files that are uploaded then, in turn."""
_MOST_UPLOADS = 30
_PATIENCE, _LOOK_AGAIN = 50, 5
"""How often a user looks whether an upload is completed, and after how many usual calls each time."""
_LOSSES = 0.7
"""The share of damaged documents that lose a chunk. The others have one too many."""
_SAYS_OVERWRITTEN = 0.5
"""The share of worlds whose bucket says of a deletion that the generation was overwritten."""
_OTHER_FORM = 0.6
"""The share of uploads by a program that writes names in NFD, as a Mac does, in worlds with several forms."""
_ANSWERS = (0, 1, 1, 1, 2)
"""How often an extractor elsewhere answers."""
_UNREADABLE = 0.2
"""The share of its answers that say that a file is unreadable."""
_TAKES = (1.0, 60.0, 1500.0, 3000.0)
"""Seconds from a file to its answer: EXTRACTOR_TIME is between the last two, or about it."""
EXTRACTOR_TIME = timedelta(minutes=30)
_QUESTIONS = 10
"""How many times a watch asks: it makes about as many port calls as the work on one document."""


class _UsersBucket:
    """The bucket as the use cases have it: what they write and delete there is a user's wish."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world if name in ("put", "delete") else self._world.bucket, name)


class _Texts(MemoryGivenTexts):
    """The given texts, which the promises know, too."""

    def __init__(self, world: World) -> None:
        super().__init__(world.schedule.wall)
        self._world = world

    def put(self, document_id: str, generation: int, text: str) -> None:
        self._world.promises.written[document_id, generation] = text.encode()
        super().put(document_id, generation, text)


class _PartTexts(MemoryPartTexts):
    """The texts of parts. The promises know which were stored."""

    def __init__(self, world: World) -> None:
        super().__init__(world.schedule.wall)
        self._world = world

    def put(self, document_id: str, generation: int, name: str, text: str) -> None:
        self._world.promises.parts.stored.add((document_id, generation, name))
        super().put(document_id, generation, name, text)


class World:
    """One bucket and its pipeline. With `tenancy`, its indexes are split. With `elsewhere`, an extractor elsewhere
    reads its PDFs. With `forms`, programs that tell the forms of a name apart write some of the objects."""

    def __init__(
        self,
        faults: Faults,
        trace: Trace | None = None,
        *,
        tenancy: Tenancy = Tenancy.NONE,
        elsewhere: bool = False,
        forms: bool = False,
    ) -> None:
        self.faults = faults
        self.schedule = Schedule(limit=_MOST_TURNS)
        self._theirs = MemoryBucket(BUCKET, self._announce, self.schedule.wall, number=self._number)
        self.bucket = CanonicalBucket(self._theirs)
        self._forms = forms
        self.texts = _Texts(self)
        self.part_texts = _PartTexts(self)
        self.word_boxes = MemoryWordBoxes(self.schedule.wall)
        self.documents = MemoryDocumentStore()
        self.dead_letters = MemoryDeadLetters()
        self.indexes = MemoryIndexes()
        self.indexes.ensure(first_index(tenancy))
        extractor = ExtractorPromises(self._read_elsewhere) if elsewhere else None
        self.promises = Promises(self.indexes, self.schedule, self.schedule.wall, extractor=extractor)
        self.steps = Steps(self.schedule, faults, self.promises, trace)
        self.use_cases = UseCases(
            bucket=_UsersBucket(self),
            texts=self.texts,
            part_texts=self.part_texts,
            word_boxes=self.word_boxes,
            documents=self.documents,
            publisher=_Lanes(self),
            dead_letters=self.dead_letters,
            indexes=self.indexes,
            schedule=self.schedule,
            steps=self.steps,
            faults=faults,
            died=self._died,
            tenancy=tenancy,
            elsewhere=EXTRACTOR_TIME if elsewhere else None,
        )
        self._says_overwritten = faults.source("notifications").random() < _SAYS_OVERWRITTEN
        random = faults.source("queue")
        self.queue = MessageQueue(
            schedule=self.schedule,
            faults=faults,
            begin=self._begin,
            handle=self._handle,
            send_dead_letter=self._send_dead_letter,
            with_dead_letters=frozenset((UPLOADS, TRIALS, Topic.FAST, Topic.HEAVY)),
            without_deadline=frozenset((COMMANDS, TRIALS)),
            deadline=random.choice((60.0, 600.0)),
            max_deliveries=random.choice((FEWEST_DELIVERIES, MOST_DELIVERIES)),
            report=self.steps.say,
        )
        self.losing: tuple[str, ...] = ()
        """Messages whose names begin with one of these are lost now."""
        self._labels: dict[tuple[str, int], str] = {}
        self._sent: dict[str, int] = {}
        self._operation = "setup"

    @property
    def vectors(self) -> MemoryVectorStore:
        """The chunks of the current index."""
        return self.promises.vectors

    def run(self) -> None:
        """Work until all is quiet."""
        self.schedule.run()

    # What users do.

    def put_clock_right(self, number: int, jump: Jump) -> None:
        if self.faults.jump(number):
            self.steps.say("", f"the clock is put right by {jump.by / 3600:+.0f} h")
            self.schedule.wall.put_right(timedelta(seconds=jump.by))

    def do(self, operation: Operation) -> None:
        self._operation = f"op {operation.number}"
        self.steps.say(self._operation, str(operation))
        name = operation.name
        acts: dict[Act, Callable[[], object]] = {
            Act.PUT: lambda: self.put(name, CONTENTS[operation.text]),
            Act.DELETE: lambda: self.delete(name),
            Act.RENAME: lambda: self._rename(name, operation.to),
            Act.RETRY: lambda: self.retry(name),
            Act.GIVE: lambda: self.give(name, CONTENTS[operation.text].decode()),
            Act.UNREADABLE: lambda: self.say_unreadable(name),
            Act.QUERY: lambda: self._watch(everything=False),
            Act.WATCH: lambda: self._watch(everything=True),
            Act.REPLAY: self.replay,
            Act.RECONCILE: self.reconcile,
            Act.JANITOR: self.janitor,
            Act.BACKFILL: self.backfill,
            Act.REINDEX: lambda: self.reindex(self._uploads_meanwhile()),
        }
        acts[operation.act]()

    def _rename(self, name: str, to: str) -> None:
        stored = self.bucket.stat(name)
        if stored is not None and to != name:
            self.put(to, self.bucket.read(stored.name, stored.generation))
            self.delete(name)

    def put(self, name: str, data: bytes, **how: Any) -> StoredObject:
        """Write an object, in the way that the port has arguments for. Like Cloud Storage, also announce the end of the
        generation before: its notification says that the generation was overwritten, its CloudEvent does not."""
        before = self.bucket.stat(name)
        id = document_id(BUCKET, name)
        self.promises.names[id] = name
        is_free = before is None or before.spelling != ""  # what has the name in NFC counts, whatever is beside it
        form = self._form_of(name) if is_free and not how else name
        stored = self._theirs.put(form, data) if form != name else self.bucket.put(name, data, **how)
        self.promises.uploaded(id, stored.generation, data)
        if before is not None:
            self._announce(replace(before.event(EventKind.DELETED), overwritten=self._says_overwritten))
        return stored

    def _form_of(self, name: str) -> str:
        """How the program of the next user writes the name."""
        is_other = self._forms and self.faults.source(self._unique(f"form of {name}")).random() < _OTHER_FORM
        return nfd(name) if is_other else name

    def delete(self, name: str) -> StoredObject | None:
        stored = self.bucket.delete(name)
        if stored is not None:
            self.promises.removed_by_user(document_id(BUCKET, name), stored.generation)
        return stored

    def add(self, name: str, data: bytes) -> None:
        """An upload over HTTP, which its user repeats until it is answered."""
        self._command(f"add {name}", lambda: self.use_cases.add(name, data))

    def take_away(self, name: str) -> None:
        """A deletion over HTTP, which its user repeats until it is answered."""
        self._command(f"take away {name}", lambda: self.use_cases.take_away(document_id(BUCKET, name)))

    def give(self, name: str, text: str) -> None:
        """A callback with a text, which the extractor repeats until it is answered."""
        self._command(f"give {name}", lambda: self.use_cases.give(document_id(BUCKET, name), text))

    def say_unreadable(self, name: str) -> None:
        """A callback with a failure, which the extractor repeats until it is answered."""
        self._command(f"unreadable {name}", lambda: self.use_cases.say_unreadable(document_id(BUCKET, name)))

    def _read_elsewhere(self, record: Document) -> None:
        """The extractor elsewhere takes a document that was handed out, and says some time later what it has read:
        once, twice or never, and perhaps too late."""
        source = self.faults.source(self._unique(f"extractor of {record.name}"))
        for _ in range(source.choice(_ANSWERS)):
            text = GOOD[source.choice(list(GOOD))].decode()
            answer = partial(self.give, record.name, text)
            if source.random() < _UNREADABLE:
                answer = partial(self.say_unreadable, record.name)
            self.schedule.after(source.choice(_TAKES) * (0.5 + source.random()), answer)
        self._look_after(record)

    def _look_after(self, record: Document) -> None:
        """The janitor comes again and again while the document waits, as a scheduled function calls it."""

        def come() -> None:
            now = self.documents.get(record.id)
            if now is not None and now.handed_out == record.handed_out:
                self.janitor()
                self._look_after(record)

        self.schedule.after((EXTRACTOR_TIME + GRACE).total_seconds() + 1, come)

    def retry(self, name: str) -> None:
        self._command(f"retry {name}", lambda: self.use_cases.retry(document_id(BUCKET, name)))

    def replay(self) -> None:
        """Repeated a few times only: with many faults, it may never get through all dead letters without one."""
        self._command("replay", self.use_cases.replay, TRIALS)

    def reconcile(self) -> None:
        self._command("reconcile", self.use_cases.reconcile)

    def janitor(self) -> None:
        self._command("janitor", self.use_cases.janitor)

    def backfill(self) -> None:
        self._command("backfill", self.use_cases.backfill)

    def reindex(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Repeated a few times only: it may wait without success for a document that only the janitor repairs.
        `meanwhile` happens at the beginning of each of its passes."""
        self._command("reindex", partial(self.use_cases.reindex, meanwhile=meanwhile), TRIALS)

    def _uploads_meanwhile(self) -> Callable[[], None]:
        """During some reindexes, a user uploads one file after another, and each pass takes so long that the file is
        completed before its first look at the records: each pass finds another one. There is an end to the uploads,
        because a reindex that dies again and again would never be through with them."""
        source = self.faults.source(f"{self._operation}, uploads")
        if source.random() >= _BUSY:
            return lambda: None
        names = iter([f"{number % _UPLOADED}.md" for number in range(_MOST_UPLOADS)])

        def upload() -> None:
            for name in islice(names, 1):
                self.put(name, GOOD[source.choice(list(GOOD))])
                for _ in range(_PATIENCE):
                    record, live = self.documents.get(document_id(BUCKET, name)), self.bucket.stat(name)
                    is_completed = record is not None and live is not None and record.shows(live.generation)
                    if is_completed or self.promises.held_until is not None:
                        return
                    self.schedule.sleep(_LOOK_AGAIN * self.faults.rates.pace)

        return upload

    def finish_reindex(self) -> None:
        """Two reindexes at once may leave the old index behind. A call with `discard` drops it."""
        self._command("reindex", partial(self.use_cases.reindex, discard=True))

    def damage(self) -> None:
        """The index loses a chunk of some documents, and has one too many of others."""
        for id, record in self.promises.records.items():
            made = record.indexed_in(self.use_cases.current.name)
            place = self.faults.damages(record.name) if made is not None and id not in self.promises.damaged else None
            if made is None or place is None:
                continue
            vectors = self.promises.vectors_of(id)
            one = vectors.read(id, made.generation)[int(place * made.chunk_count)]
            if place * made.chunk_count % 1 < _LOSSES:
                vectors.delete_chunks([one.chunk.id])
            else:
                surplus = chunk_id(id, made.generation, made.chunk_count, made.fingerprint)
                vectors.write([replace(one, chunk=replace(one.chunk, id=surplus, ordinal=made.chunk_count))])
            self.promises.damage(id)

    def compare(self) -> Report:
        """What reconcile reports, between runs."""
        return self.use_cases.compare()

    def give_up(self, name: str) -> None:
        """The queue gives up the document's job."""
        record = self.documents.get(document_id(BUCKET, name))
        if record is not None:
            message = Message(f"{Topic.FAST} {name}", Topic.FAST, record.job, deliveries=MOST_DELIVERIES)
            self._send_dead_letter(message, "no worker took it")

    def _command(self, name: str, run: Command, topic: str = COMMANDS) -> None:
        self.queue.send(Message(self._unique(f"{self._operation}, {name}"), topic, run))

    def _watch(self, *, everything: bool) -> None:
        """Ask one question, or ask for everything several times. A question may fail: its user sees the error."""
        name = f"{self._operation}, query"
        task = Task(name, Message(name, COMMANDS, lambda: None), self.faults.source(name))

        def ask() -> None:
            for _ in range(_QUESTIONS if everything else 1):
                try:
                    self.ask(everything=everything)
                except (TransientError, IndexGone, OSError, Crash) as error:
                    self.steps.say(name, f"fails: {error!r}")
                self.schedule.sleep(self.faults.rates.pace * task.source.random())

        self.schedule.spawn(ask, task)

    def ask(self, *, everything: bool) -> None:
        """Search, and check the results against the promises."""
        begun = self.promises.now
        self.promises.answered(self.use_cases.search(everything=everything), begun, everything=everything)

    # What the queue does.

    def _number(self, name: str) -> int:
        """A generation's number: unique, but in no order, as Cloud Storage promises no order."""
        return self.faults.source(self._unique(f"{self._operation} writes {name}")).getrandbits(63)

    def _announce(self, event: ObjectEvent) -> None:
        self.steps.written_by.setdefault(event.generation, self._operation)
        label = self._labels.setdefault((event.name, event.generation), f"{event.name} of {self._operation}")
        self._send(Message(self._unique(f"{event.kind} {label}"), UPLOADS, event))

    def published(self, topic: Topic, job: Job, reason: str) -> None:
        label = self._labels.get((job.name, job.generation), f"{job.name} {job.generation}")
        self._send(Message(self._unique(f"{topic} {label}"), topic, job, reason))

    def _send_dead_letter(self, message: Message, reason: str) -> None:
        if message.topic == TRIALS:
            return
        if isinstance(message.body, Job):
            self.promises.parts.left.add(message.body.document_id)
        name = self._unique(f"{Topic.DEAD_LETTER} of {message.name}")
        self._send(Message(name, Topic.DEAD_LETTER, message.body, reason, given_up_after=message.deliveries))

    def _died(self, worker: str) -> None:
        if self.faults.source(f"supervisor of {worker}").random() < _SUPERVISED:
            self._command(f"recover {worker}", lambda: self.use_cases.end_leases(worker))

    def _send(self, message: Message) -> None:
        if not message.name.startswith(self.losing or "\0"):
            self.queue.send(message)

    def _unique(self, name: str) -> str:
        number = self._sent[name] = self._sent.get(name, 0) + 1
        return name if number == 1 else f"{name} ({number})"

    def _begin(self, message: Message, name: str, source: Random) -> Task:
        task = Task(name, message, source)
        if isinstance(message.body, Job):
            id = message.body.document_id
            task.held = {(id, hash) for hash in self.promises.vectors_of(id).embeddings(id)}
            task.duplicates = self.promises.duplicates(id)
        self.promises.running.append(task)
        return task

    def _handle(self, task: Task) -> None:
        try:
            self._dispatch(task, task.message)
        finally:
            self.promises.running.remove(task)

    def _dispatch(self, task: Task, message: Message) -> None:
        body = message.body
        if not isinstance(body, ObjectEvent | Job):
            self._execute(body)
        elif message.topic == Topic.DEAD_LETTER:
            self.use_cases.keep_dead_letter(body, message.reason, message.given_up_after)
        elif isinstance(body, ObjectEvent):
            self.use_cases.route(body)
            self.promises.routed(body)
        else:
            self.use_cases.process(task, body, Lane.HEAVY if message.topic == Topic.HEAVY else Lane.FAST)
            self.promises.finished(task)

    def _execute(self, command: Command) -> None:
        try:
            command()
        except DocumentNotFound:
            return  # this is an answer too


class _Lanes:
    """Implements the Publisher port."""

    def __init__(self, world: World) -> None:
        self._world = world

    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        if self._world.faults.refuses(job.name, dead_letters=topic is Topic.DEAD_LETTER):
            raise PermanentError(ErrorCode.INTERNAL_ERROR, f"The message about {job.name} is too large.")
        self._world.published(topic, job, reason)
