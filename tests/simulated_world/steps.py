"""Port calls as steps of the simulation: others may run before each call, it may fail, and it is checked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from ragbase.domain.document import Change, Document
from ragbase.domain.errors import IndexGone, PermanentError, Unavailable
from ragbase.domain.job import Job
from ragbase.leases.kept_lease import FREE
from ragbase.pipeline.hold import CHECKPOINT, lease_in
from tests.simulated_world.faults import Crash, Faults, Kind, Step
from tests.simulated_world.late_effects import LATEST_EFFECT, late_effect
from tests.simulated_world.message_queue import Task
from tests.simulated_world.promises import Promises
from tests.simulated_world.schedule import Schedule

BESIDE = "word_boxes"
"""The port whose faults are drawn beside those of the others (Faults.beside)."""
WRITES = ("vectors.write", "vectors.restore")
"""The calls that write chunks."""

Trace = Callable[[float, str, str], None]
"""Is called with the time in seconds, who, and what."""


class Steps:
    """All port calls of a world, in order: `made` names them."""

    def __init__(self, schedule: Schedule, faults: Faults, promises: Promises, trace: Trace | None) -> None:
        self.made: list[str] = []
        self.written_by: dict[int, str] = {}
        """Which operation wrote a generation. The trace prints this instead of its number."""
        self._schedule = schedule
        self._faults = faults
        self._promises = promises
        self._trace = trace

    def source(self, name: str) -> Random:
        """The random numbers of the task with this name."""
        return self._faults.source(name)

    def of(self, name: str, port: Any) -> Any:
        """The port. If a task calls it, the call is a step."""
        return _Port(name, port, self)

    def say(self, who: str, what: str) -> None:
        if self._trace is not None:
            self._trace(self._schedule.seconds, who, what)

    def call(self, label: str, method: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        task = self._schedule.owner
        if not isinstance(task, Task):
            return method(*arguments, **named)
        if label in WRITES and isinstance(task.message.body, Job):
            for id in {embedded.chunk.document_id for embedded in arguments[0]}:
                self._promises.begins_to_write(id, task)
        step = self._step(task, label)
        self._wait(task, step)
        self.made.append(label)
        is_away = self._faults.is_away(label.partition(".")[0], self._schedule.seconds)
        fails = is_away or step.fault not in (None, Kind.STALL)
        if fails and (callable(task.message.body) or task.is_overdue):
            self._promises.stopped(label, arguments)
        if is_away:
            self.say(task.name, f"{label} -- is away")
            raise self._unavailable(task, f"{label} is away")
        fault = step.fault
        if self._trace is not None:
            self.say(task.name, f"{label}{self._text(arguments, named)}{f' -- {fault}' if fault else ''}")
        if fault in (Kind.CRASH_MEANWHILE, Kind.FAIL_MEANWHILE):
            self._take_effect_later(task, label, method, arguments, named)
        self._fail_before(task, label, fault)
        try:
            result = self._checked(task, label, method, arguments, named)
        except PermanentError as error:
            self.say(task.name, f"{label} refuses: {error}")
            task.breaks += 1
            raise
        if fault is Kind.CRASH_AFTER:
            raise Crash
        if fault is Kind.FAIL_AFTER:
            raise self._unavailable(task, f"the answer of {label} is lost")
        return result

    def _step(self, task: Task, label: str) -> Step:
        if label.startswith(BESIDE):
            task.calls_beside += 1
            return self._faults.beside(task.name, task.calls_beside, len(self.made))
        task.calls += 1
        return self._faults.call(task.name, task.calls, len(self.made), task.source)

    def _wait(self, task: Task, step: Step) -> None:
        """Let others run. Raises Crash if another task kills the instance meanwhile."""
        instance = task.instance
        if step.fault is Kind.STALL:
            instance.stalled_until = self._schedule.seconds + step.seconds
        if step.seconds:
            self._schedule.sleep(step.seconds)
        while instance.stalled_until > self._schedule.seconds:
            self._schedule.sleep(instance.stalled_until - self._schedule.seconds)
        if instance.is_dead:
            raise Crash

    def _fail_before(self, task: Task, label: str, fault: Kind | None) -> None:
        match fault:
            case Kind.CRASH_BEFORE | Kind.CRASH_MEANWHILE:
                raise Crash
            case Kind.FAIL_BEFORE | Kind.FAIL_MEANWHILE:
                raise self._unavailable(task, f"{label} does not answer")
            case Kind.BREAK:
                task.breaks += 1
                raise OSError(f"{label} is broken")

    def _unavailable(self, task: Task, reason: str) -> Unavailable:
        task.is_excused = True
        return Unavailable(reason)

    def _take_effect_later(
        self, task: Task, label: str, method: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        effect = late_effect(label, method, arguments, named, self._promises)
        if effect is None:
            return

        asked = replace(task)  # as it is now

        def happen() -> None:
            self.say(task.name, f"{label}{self._text(arguments, named)} takes effect only now")
            with suppress(IndexGone, PermanentError):
                result = effect()
                if isinstance(result, Change):
                    self._changed(result, asked)
                    task.is_excused |= asked.is_excused

        self._schedule.after(LATEST_EFFECT * task.source.random() ** 2, happen)

    def _checked(
        self, task: Task, label: str, method: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        promises, job = self._promises, task.message.body
        if label in ("vectors.delete", "vectors.delete_chunks"):
            id = promises.owner(arguments[0]) if label == "vectors.delete_chunks" else arguments[0]
            before = promises.wanted(id, task.instance.release if isinstance(job, Job) else None)
            result = method(*arguments, **named)
            is_late = promises.is_late(id, task)
            if label == "vectors.delete_chunks" and isinstance(job, Job) and (is_late or id in task.robbed):
                promises.damage(id)
                if is_late:
                    promises.removed_late(id)
            else:
                promises.removed(id, before)
            return result
        written = {one.chunk.document_id for one in arguments[0]} if label in WRITES else set()
        wanted = {id: promises.wanted(id, task.instance.release) for id in written}
        result = method(*arguments, **named)
        self._note(task, label, arguments, result)
        match label:
            case "documents.update":
                self._changed(result, task)
            case "vectors.write" | "vectors.restore":
                task.robbed -= written
                for id in written:
                    if isinstance(job, Job):
                        promises.wrote(id, task)
                    promises.removed(id, wanted[id])  # it may have replaced others
            case "part_texts.put":
                promises.stored_text(arguments[0], task)
            case "embedder.embed_documents" if isinstance(job, Job):
                promises.paid(job.document_id, task, arguments[0])
            case "embedder.embed_documents":
                promises.rebuilt += len(arguments[0])
            case "indexes.make_current":
                promises.switched(task)
        return result

    def _note(self, task: Task, label: str, arguments: tuple[Any, ...], result: Any) -> None:
        """What a task has learned of the index and of its hold."""
        if label == "indexes.current":
            task.index = result.name if result is not None else ""
        elif label == "checkpoints.load":
            task.looked = self._schedule.now()
        elif label == "checkpoints.update" and arguments[0] == CHECKPOINT:
            self._promises.was_held = True
            until = lease_in(result).until
            self._promises.held_until = until if until != FREE.until else None

    def _changed(self, change: Change, task: Task) -> None:
        after = change.after
        if after is not None:
            task.seen[after.id] = after
        if self._trace is not None and after is not None and after is not change.before:
            self.say("", self._record_text(after))
        self._promises.changed(change, task)

    def _text(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> str:
        texts = [self._brief(one) for one in arguments] + [f"{name}={self._brief(one)}" for name, one in named.items()]
        return f"({', '.join(text for text in texts if text)})"

    def _brief(self, value: Any) -> str:
        if isinstance(value, str):
            return self._promises.names.get(value, value[:20])
        if isinstance(value, int):
            return self.written_by.get(value, str(value))
        if isinstance(value, list | tuple):
            return f"{len(value)} items"
        name = getattr(value, "name", "") or getattr(value, "__qualname__", "")
        return str(name).partition(".<")[0]

    def _record_text(self, record: Document) -> str:
        status = "DELETED" if record.tombstone else record.status.value
        shown = f"shows what {self._brief(record.active.generation)} wrote" if record.active else "shows nothing"
        return f"{record.name}: {status}, of {self._brief(record.generation)}, attempt {record.attempts}, {shown}"


class _Port:
    def __init__(self, name: str, port: Any, steps: Steps) -> None:
        self._name, self._port, self._steps = name, port, steps

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._port, attribute)
        if callable(value):
            label, steps, method = f"{self._name}.{attribute}", self._steps, value

            def value(*arguments: Any, **named: Any) -> Any:
                return steps.call(label, method, arguments, named)

        setattr(self, attribute, value)
        return value
