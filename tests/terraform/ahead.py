"""Work that takes seconds. It is done ahead of the tests that look at its result, on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.terraform.configured import prepared_copy

PROCESSORS = os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Job:
    """`work` is called with the prepared copy of terraform/, which it must not change, and with the arguments."""

    work: Callable[..., Any]
    arguments: tuple[str, ...] = ()
    seconds: int = 1
    """About how long it takes. The longest jobs start first."""


def looks_at(*jobs: Job) -> pytest.MarkDecorator:
    """The mark of a test that gets the result of a job as `result`, and runs once for each job. The jobs take minutes
    together, so such a test is a proof."""
    each = [
        pytest.param(job, id="".join(job.arguments[:1]) or job.work.__name__, marks=pytest.mark.prove) for job in jobs
    ]
    return pytest.mark.parametrize("result", each, indirect=True)


class Results:
    """The results of the jobs. Each job runs once, however many tests look at its result."""

    def __init__(self, jobs: Iterable[Job], prepared: Path, pool: Executor) -> None:
        ordered = sorted(dict.fromkeys(jobs), key=lambda job: -job.seconds)
        self._results = {job: pool.submit(job.work, prepared, *job.arguments) for job in ordered}

    def of(self, job: Job) -> Any:
        """Waits for the job. Raises what the job raised."""
        return self._results[job].result()


@contextmanager
def started(jobs: Iterable[Job]) -> Iterator[Results]:
    """Runs the jobs in the background."""
    with prepared_copy() as prepared, ThreadPoolExecutor(PROCESSORS) as pool:
        try:
            yield Results(jobs, prepared, pool)
        finally:
            pool.shutdown(cancel_futures=True)
