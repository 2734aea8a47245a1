"""Which tests one process runs together, and which come first."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest

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


def scope_of(nodeid: str) -> str:
    """What one process runs, in its order: a file, all files that share something, or one test of a file in APART."""
    file = nodeid.partition("::")[0]
    name = file.removeprefix("tests/")
    if name.startswith(APART):
        return nodeid
    return next((beginning for beginning in TOGETHER if name.startswith(beginning)), file)


def shard_of(nodeid: str, count: int) -> int:
    """Which of `count` shares a test is in, from 1. The tests of a scope stay together."""
    return zlib.crc32(scope_of(nodeid).encode()) % count + 1


def scopes_of(items: Iterable[pytest.Item]) -> list[list[pytest.Item]]:
    """The tests by scope, in the order in which the scopes begin."""
    scopes: dict[str, list[pytest.Item]] = {}
    for item in items:
        scopes.setdefault(scope_of(item.nodeid), []).append(item)
    return list(scopes.values())
