"""Which tests one process runs together, and which come first."""

from __future__ import annotations

from pathlib import Path

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # xdist has no types

TOGETHER = ("terraform/", "e2e/test_local_cloud", "e2e/test_container", "browser/")
"""What the names of files in tests/ begin with that share what takes long to make, or much memory: the results of all
Terraform jobs, a local cloud, an image, and a browser. Each process would make its own."""
APART = ("simulation/test_crash_matrix",)
"""Files whose tests share nothing and take a minute together: each process takes one test after another."""
FILLING = ("e2e/test_local_cloud_console", "e2e/test_local_cloud_burst", "e2e/test_local_cloud_faults")
"""Tests that put many documents into the local cloud. They come after the others on it: a reindex and a
reconcile go through all documents."""
FIRST = (*TOGETHER, *FILLING, "simulation/", "e2e/", "examples/", "functions/", "contract/")
"""Where the slow tests are, those that take longest first."""


def place(file: Path, *, is_slow: bool) -> int:
    """Where a file of tests/ comes. Slow ones come first, so that at the end no process is left alone with one."""
    begins = [beginning for beginning in FIRST if file.as_posix().startswith(beginning)]
    return FIRST.index(max(begins, key=len)) if is_slow and begins else len(FIRST) + (not is_slow)


class Shares(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A process gets whole files, in their order, and all files that share something. Files in APART are divided."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        name = file.removeprefix("tests/")
        if name.startswith(APART):
            return nodeid
        return next((beginning for beginning in TOGETHER if name.startswith(beginning)), file)
