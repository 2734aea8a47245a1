"""The command scripts/simulate (docs/correctness.md): run the pipeline under random faults."""

from __future__ import annotations

import shlex
import sys
import time

import click

from tests.simulated_world import crash_matrix as matrix
from tests.simulated_world.bugs import BUGS
from tests.simulated_world.campaign import Tally, campaign, elements_of, story, trace_of

PROGRESS = 10.0
"""How many seconds pass between two lines of progress."""
SEEDS = 1000
"""How many seeds to run by default."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seeds", type=click.IntRange(1), help=f"How many seeds to run. By default {SEEDS}, or one with --seed.")
@click.option("--seed", type=click.IntRange(0), help="The first seed. By default 0.")
@click.option("--trace", is_flag=True, help="Print every step of one seed.")
@click.option("--only", help="Run one seed with only these of its operations and faults: numbers such as 0,3,17.")
@click.option("--jobs", type=click.IntRange(1), help="How many processes to use. By default one for each processor.")
@click.option("--bug", type=click.Choice(sorted(BUGS)), metavar="NAME", help="Plant a bug. The run must then fail.")
@click.option("--bugs", "list_bugs", is_flag=True, help="List the bugs that can be planted.")
@click.option(
    "--matrix", "run_matrix", is_flag=True, help="Run no seeds. Put a fault at each port call of each use case."
)
def simulate(  # noqa: PLR0917 - click passes them by name
    seeds: int | None,
    seed: int | None,
    trace: bool,
    only: str | None,
    jobs: int | None,
    bug: str | None,
    list_bugs: bool,
    run_matrix: bool,
) -> None:
    """Run the pipeline through random histories with faults, and check its promises for every seed.

    If a seed breaks a promise, the command prints its steps, without those that do not matter. The exit code is then 1.
    """
    if list_bugs:
        for one in BUGS.values():
            click.echo(f"{one.name:34} {one.says}")
    elif run_matrix:
        sys.exit(run_crash_matrix(jobs))
    elif trace or only:
        if seeds not in (None, 1):
            raise click.UsageError("--trace and --only work with one seed. Name it with --seed, and leave out --seeds.")
        print_steps(seed or 0, only, bug)
    else:
        first = seed or 0
        count = seeds or (SEEDS if seed is None else 1)
        sys.exit(run_seeds(range(first, first + count), jobs, bug))


def run_seeds(seeds: range, jobs: int | None, bug: str | None) -> int:
    started = reported = time.monotonic()
    tally = Tally()
    for tally in campaign(seeds, jobs=jobs, bug=bug):
        if time.monotonic() - reported > PROGRESS:
            reported = time.monotonic()
            click.echo(f"{tally.seeds} of {len(seeds)} seeds", err=True)
    seconds = time.monotonic() - started
    click.echo(f"{tally.seeds} seeds, {tally.steps} port calls, {tally.seeds / seconds:.0f} seeds/s, {seconds:.0f} s")
    for kind, count in tally.faults.most_common():
        click.echo(f"{count:9} x {kind}")
    if tally.failed is None:
        click.echo("Every promise was kept.")
        return 0
    seed, what = tally.failed
    click.echo(f"\nSeed {seed} breaks a promise: {what}\nThe shortest version that still breaks it:\n")
    numbers, lines = story(seed, bug=bug)
    click.echo("\n".join(lines))
    options = ["--seed", str(seed), "--only", ",".join(map(str, numbers)), *(["--bug", bug] if bug else [])]
    click.echo(f"\nAgain: scripts/simulate {shlex.join(options)}")
    return 1


def print_steps(seed: int, only: str | None, bug: str | None) -> None:
    try:
        kept = elements_of(seed, [int(number) for number in only.split(",")], bug=bug) if only else None
    except ValueError as error:
        raise click.UsageError(f"--only takes numbers of the seed's operations and faults: {error}") from None
    lines = trace_of(seed, kept, bug=bug)
    click.echo("\n".join(lines))
    sys.exit("VIOLATION" in lines[-1])


def run_crash_matrix(jobs: int | None) -> int:
    started = time.monotonic()
    results = []
    for result in matrix.run_all(jobs=jobs):
        results.append(result)
        click.echo(f"{result.scenario:26} {result.calls:4} port calls, {result.cases:5} cases")
        for failure in result.failures:
            click.echo(f"  FAILED  {failure}")
    failures = sum(len(result.failures) for result in results)
    click.echo(f"{matrix.size(results)}, {failures} failures, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    simulate(prog_name="scripts/simulate")
