"""What a lane works with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta

from ragbase.domain.lane import Lane
from ragbase.pipeline.make_chunks import Maker
from ragbase.ports import Ports


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One lane of one running process.

    `name` distinguishes it from all other running workers. `claims` numbers the claims of all workers of that name.
    `lease` is how long a claim holds: longer than the longest work between two renewals, which is one extraction or one
    batch of embeddings. `maker` gives what makes chunks in the current index; it is called once for each job.

    `interrupted` is held while this process works on an interrupted document. Such a document may kill its worker,
    which interrupts every other document in work, too. Only one interrupted document is in work at a time, so that its
    crashes interrupt each of the others at most once.

    `in_work` is entered around each job, so that the documents of one process can share calls of the embedder.
    """

    name: str
    lane: Lane
    lease: timedelta
    ports: Ports
    maker: Callable[[], Maker]
    claims: Iterator[int]
    in_work: Callable[[], AbstractContextManager[object]] = nullcontext
    interrupted: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
