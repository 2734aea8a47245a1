"""What a process does with the messages that its queue delivers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragbase.domain.dead_letter import Message
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.object_event import ObjectEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Handlers:
    """One handler for each kind of message. Returning acknowledges the message; raising gives it back to the queue.

    If `event` is None, this process takes no object events: they wait for another one. `undeliverable` takes the
    message, the reason and the number of deliveries. `job_done` is called after each job that was acknowledged, as soon
    as every process sees what it has done. `worker_died` is called with the name of each worker of the same
    data folder that died.
    """

    event: Callable[[ObjectEvent], object] | None
    job: Callable[[Job, Lane], object]
    job_done: Callable[[Job], object]
    undeliverable: Callable[[Message, str, int], object]
    worker_died: Callable[[str], object]
