"""Random histories and faults break no promise (docs/correctness.md)."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragbase.domain.tenant import Tenancy
from tests.simulated_world.campaign import Tally, campaign, run_lot, story, trace_of
from tests.simulated_world.faults import Kind
from tests.simulated_world.simulation import simulate
from tests.simulation.seeds import FIRST, SEEDS

ROOT = Path(__file__).resolve().parents[2]
PATH = os.pathsep.join((str(ROOT / "common"), str(ROOT)))
SEED = 42


def failing_history(tally: Tally) -> str:
    """The shortest version of the history that fails, for anyone who reads the test's output."""
    if tally.failed is None:
        return ""
    seed, what = tally.failed
    return "\n".join([f"seed {seed}: {what}", *story(seed)[1]])


def test_some_seeds() -> None:
    tally = run_lot(range(15))
    assert tally.failed is None, failing_history(tally)


FOUND = {
    88000591,
    181436534039998,
    77700183,
    5000920,
    1002156,
    44346864017116,
    1639,
    161293783535,
    115310263278156,
    654262768670,
    216313052691,
    410568205995,
    157638965799158,
    260104542952857,
    35471707585253,
    8914056580813,
    933411880967730,
    933411880963646,
    159095894925101,
    772200002253,
    3089,
    68052828564814,
    270010141760598,
    990900121342,
    88123456792344,
    3003272,
    17001883,
    271828186842,
    22679068903779,
    25415649012038,
    184102799919406,
    252557687481350,
}
"""Seeds that once broke a promise: a worker that stalled wrote after its lease; a reindex waited for a lost job; a
worker that the queue had given up reopened a document, and could not publish its job; a worker claimed a document
while its dead letter was kept, and stopped; a worker that gave a document up instead of claiming it left the texts
of its parts (270010141760598); a reindex switched although its hold was about to run out (17001883). 260104542952857
and 35471707585253 broke none: the promises forgot a command that dies after its job was refused, and chunks that a
stalled worker removes late. 933411880967730: a reindex believed the records that an index still had what was dropped
with it. 933411880963646 and 159095894925101 broke none: the promises forgot that a lane leaves its chunks to the
next job of the document if an extractor elsewhere has said that the file is unreadable. 772200002253 broke none:
they forgot that a reindex leaves a document that breaks it again and again to the lanes. 3089 broke none: they
believed the note in a record, which a reindex that stood still had taken, and not the chunks. 68052828564814 broke
none: they forgot that the chunks that a stalled worker removes late may be those that the next worker has just
written. 990900121342 broke none: they forgot that a stalled worker may store the text of a part late, and die.
3003272 broke none: they forgot that a job that the queue gives up no longer removes them. 88123456792344 broke none:
they forgot that nobody delivers a job again whose worker stood still and then could not publish. 271828186842 broke
none: they forgot that a late write may spoil the proof of another attempt. 22679068903779 broke none: they blamed a
worker that had stalled since before a reindex for the chunks of another one in the new index. 25415649012038: among
many faults, a comparison with needless calls never came to its end. 184102799919406: after the clock was put back, a
comparison removed a text that was just given, before its record was written. 252557687481350 broke none: the promises
forgot that a stalled worker may restore chunks late, as it may write them."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "seed",
    [pytest.param(seed, marks=pytest.mark.prove if place % 5 else ()) for place, seed in enumerate(sorted(FOUND))],
)
def test_a_seed_that_once_failed_holds(seed: int) -> None:
    tally = run_lot(range(seed, seed + 1))
    assert tally.failed is None, failing_history(tally)


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds", [range(3), pytest.param(range(3, SEEDS // 50), marks=pytest.mark.prove)], ids=["a few", "more"]
)
@pytest.mark.parametrize("world", [{"tenancy": Tenancy.FOLDER}, {"forms": True}], ids=["tenants", "two forms of names"])
def test_some_seeds_of_another_world(world: dict[str, Any], seeds: range) -> None:
    broken = [(seed, run.violation) for seed in seeds if (run := simulate(seed, **world)).violation]
    assert broken == []


@pytest.mark.prove
def test_seeds_that_nobody_has_seen() -> None:
    """Others in each run. A failure names its seed: `scripts/simulate --seed` repeats it."""
    *_, tally = campaign(range(FIRST, FIRST + SEEDS // 2))
    assert tally.failed is None, failing_history(tally)
    assert tally.seeds == SEEDS // 2


@pytest.mark.prove
def test_seeds_that_stay_the_same() -> None:
    *_, tally = campaign(range(SEEDS))
    assert tally.failed is None, failing_history(tally)
    assert tally.seeds == SEEDS
    # Nothing that can go wrong was left out.
    assert set(tally.faults) == set(Kind)


@pytest.mark.prove
def test_a_seed_is_the_same_in_every_process() -> None:
    program = "from tests.simulated_world.campaign import trace_of; print('\\n'.join(trace_of(42, None)))"
    digests = {hashlib.sha256("\n".join(trace_of(SEED, None)).encode()).hexdigest()}
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONPATH": PATH, "PYTHONHASHSEED": hash_seed}
        traced_there = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        digests.add(hashlib.sha256(traced_there.stdout.strip(b"\n")).hexdigest())
    assert len(digests) == 1
