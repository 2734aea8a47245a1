"""Processes that share the work of a simulation."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor


def processes(jobs: int | None, most: int | None = None) -> ProcessPoolExecutor:
    """`jobs` processes, or one for each processor; no more than `most`.

    They are started, not forked: a fork of a process with threads (a test that has used gRPC, say) may wait for ever
    for a lock that no thread will release.
    """
    wanted = jobs or os.cpu_count() or 1
    workers = max(1, min(wanted, most if most is not None else wanted))
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
