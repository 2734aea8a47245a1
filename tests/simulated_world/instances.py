"""The processes that work in the lanes. An instance works on several jobs at once; if it dies, they all end with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragbase.domain.lane import Lane
from tests.simulated_world.faults import Faults
from tests.simulated_world.schedule import Schedule

if TYPE_CHECKING:
    from ragbase.pipeline.worker import Worker


@dataclass(slots=True, eq=False)
class Instance:
    """A running process. Those that are no lane's have one task and no `worker`. `release` says which settings it was
    deployed with: 0, or 1 after a deployment."""

    name: str = ""
    release: int = 0
    worker: Worker | None = None
    jobs: int = 0
    is_dead: bool = False
    stalled_until: float = 0.0


@dataclass(slots=True, kw_only=True)
class Instances:
    """The instances of the lanes. `start` gives a new one its worker. `died` gets the name of each that dies.

    While a deployment goes on, jobs go to old and new instances. After it, they go only to new ones, and the old ones
    finish what they have.
    """

    schedule: Schedule
    faults: Faults
    start: Callable[[Instance, Lane], Worker]
    died: Callable[[str], None]
    _running: dict[Lane, list[Instance]] = field(default_factory=lambda: {lane: [] for lane in Lane})
    _started: Counter[str] = field(default_factory=Counter)

    def take(self, lane: Lane, task: str) -> Instance:
        """The first instance of the task's release that has room for another job, or a new one."""
        release = self.faults.release(task, self.schedule.seconds)
        running = self._running[lane]
        for one in running:
            if one.release == release and (not one.jobs or self._has_room(one, task)):
                break
        else:
            one = self._new(lane, release)
        one.jobs += 1
        return one

    def kill(self, instance: Instance) -> None:
        """All its tasks end at their next step."""
        if not instance.is_dead:
            instance.is_dead = True
            for running in self._running.values():
                if instance in running:
                    running.remove(instance)
            self.died(instance.name)

    def _has_room(self, instance: Instance, task: str) -> bool:
        return instance.jobs < self.faults.rates.jobs and self.faults.shares(task)

    def _new(self, lane: Lane, release: int) -> Instance:
        self._started[lane] += 1
        instance = Instance(f"{lane}-{self._started[lane]}", release)
        instance.worker = self.start(instance, lane)
        self._running[lane].append(instance)
        return instance
