"""Run many seeds on all processors, and add up their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field

from tests.simulated_world.bugs import BUGS
from tests.simulated_world.faults import Kind
from tests.simulated_world.processes import processes
from tests.simulated_world.shrink import shrink
from tests.simulated_world.simulation import simulate

LOT = 50
"""How many seeds a process runs before it reports: a second or two of work."""


@dataclass(slots=True)
class Tally:
    """`failed` is the first seed that broke a promise, and a line that says how. None if no seed did."""

    seeds: int = 0
    steps: int = 0
    faults: Counter[Kind] = field(default_factory=Counter)
    failed: tuple[int, str] | None = None

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            seeds=self.seeds + other.seeds,
            steps=self.steps + other.steps,
            faults=self.faults + other.faults,
            failed=min(filter(None, (self.failed, other.failed)), default=None),
        )


def campaign(seeds: range, *, jobs: int | None = None, bug: str | None = None) -> Iterator[Tally]:
    """Run the seeds, and yield the total after each lot. A failure ends the campaign."""
    lots = [seeds[start : start + LOT] for start in range(0, len(seeds), LOT)]
    if len(lots) == 1:  # another process would take longer to start
        yield run_lot(seeds, bug)
        return
    total = Tally()
    with processes(jobs, most=len(lots)) as pool:
        running = [pool.submit(run_lot, lot, bug) for lot in lots]
        for done in as_completed(running):
            total += done.result()
            yield total
            if total.failed:
                # Wait here. A second call, by the `with`, would take the cancellation back.
                pool.shutdown(cancel_futures=True)
                return


def run_lot(seeds: range, bug: str | None = None) -> Tally:
    """Run seeds one after another, up to the first that breaks a promise."""
    total = Tally()
    for seed in seeds:
        run = simulate(seed, bug=BUGS[bug] if bug else None)
        failed = (seed, str(run.violation)) if run.violation else None
        total += Tally(1, run.steps, run.faults, failed)
        if failed:
            break
    return total


def story(seed: int, *, bug: str | None = None) -> tuple[list[int], list[str]]:
    """The shortest version of a failing seed: the numbers of the elements that it needs, and a line for each step.

    Raises ValueError for a seed that breaks no promise.
    """
    planted = BUGS[bug] if bug else None
    whole = simulate(seed, bug=planted)
    if whole.violation is None:
        raise ValueError(f"Seed {seed} breaks no promise.")
    rule = whole.violation.rule

    def breaks(elements: Sequence[str]) -> bool:
        run = simulate(seed, only=frozenset(elements), bug=planted)
        return run.violation is not None and run.violation.rule == rule

    kept = shrink(whole.elements, breaks)
    return [whole.elements.index(element) for element in kept], trace_of(seed, kept, bug=bug)


def trace_of(seed: int, only: list[str] | None, *, bug: str | None = None) -> list[str]:
    """A line for each step of a run. With `only`, nothing happens except these of its elements."""
    lines: list[str] = []

    def trace(seconds: float, who: str, what: str) -> None:
        lines.append(f"{len(lines) + 1:5}  {seconds:10.3f} s  {who + ': ' if who else '  -> '}{what}")

    kept = frozenset(only) if only is not None else None
    simulate(seed, only=kept, bug=BUGS[bug] if bug else None, trace=trace)
    return lines


def elements_of(seed: int, numbers: list[int], *, bug: str | None = None) -> list[str]:
    """The elements of a seed with these numbers. Raises ValueError for a number that the seed does not have."""
    elements = simulate(seed, bug=BUGS[bug] if bug else None).elements
    wrong = [number for number in numbers if not 0 <= number < len(elements)]
    if wrong:
        raise ValueError(f"Seed {seed} has the elements 0 to {len(elements) - 1}. It has no element {wrong[0]}.")
    return [elements[number] for number in numbers]
