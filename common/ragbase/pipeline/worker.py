"""What a lane works with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta

from ragbase.domain.lane import Lane
from ragbase.domain.limits import LONGEST_WAIT
from ragbase.pipeline.make_chunks import Maker
from ragbase.ports import Ports


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One lane of one running process.

    `name` distinguishes it from all other running workers. `claims` numbers the claims of all workers of that name.
    `maker` gives what makes chunks in the current index; it is called once for each job.

    `lease` is how long a claim holds without a renewal, so that the documents of a dead worker are soon free again.
    `heartbeat` is entered around each attempt with what renews its lease: a thread calls that while the attempt works.

    `time_limit` is how long one attempt may take: less than the function may run. After it, nothing is written and no
    lease is renewed. None if nobody stops the work. `longest_wait` is how long a document waits for a service that is
    away. `extractor_timeout` is how long an extractor elsewhere may take to read a file that no text format has; None
    if this process reads all files.

    `interrupted` is held while this process works on an interrupted document. Such a document may kill its worker,
    which interrupts every other document in work, too. Only one interrupted document is in work at a time, so that its
    crashes interrupt each of the others at most once. The others wait for it for up to `patience` seconds.

    `share_batches` is entered around each job, so that the documents of one process can share calls of the embedder.
    """

    name: str
    lane: Lane
    lease: timedelta
    ports: Ports
    maker: Callable[[], Maker]
    claims: Iterator[int]
    share_batches: Callable[[], AbstractContextManager[object]] = nullcontext
    heartbeat: Callable[[Callable[[], bool]], AbstractContextManager[object]] = lambda beat: nullcontext()
    time_limit: timedelta | None = None
    longest_wait: timedelta = LONGEST_WAIT
    extractor_timeout: timedelta | None = None
    patience: float = 30.0
    interrupted: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
