"""The command scripts/fuzz: look for inputs that ragbase does not stand.

Each input comes from a number: `--seed N --inputs 1` repeats input N. A finding is printed at once, with a file or a
request that shows it; the last line is JSON for the whole run. The exit code is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.bench.machine import machine
from tests.fuzz import api, documents, formats, readers, routes
from tests.fuzz.budget import Budget, Report


@dataclass(frozen=True, slots=True)
class Kind:
    """`inputs` is how many a test tries: seconds of work. `seconds` is how long the command goes on by default."""

    says: str
    fuzz: Callable[..., Report]
    inputs: int
    seconds: float
    options: dict[str, dict[str, object]]


KINDS = {
    "formats": Kind(
        formats.__doc__ or "",
        lambda budget, data=None: formats.fuzz(budget, formats.texts_in(data) if data else ()),
        inputs=1_000,
        seconds=600,
        options={"--data": {"type": Path, "help": "a folder of Markdown files"}},
    ),
    "readers": Kind(
        readers.__doc__ or "",
        lambda budget, formats=None, folder=None: readers.fuzz(
            budget, formats.split(",") if formats else readers.FORMATS, folder
        ),
        inputs=30,
        seconds=600,
        options={
            "--formats": {"help": "the formats, with commas between them"},
            "--folder": {"type": Path, "help": "where files with findings are written"},
        },
    ),
    "documents": Kind(documents.__doc__ or "", documents.fuzz, inputs=60, seconds=600, options={}),
    "api": Kind(
        api.__doc__ or "",
        api.fuzz,
        inputs=1,
        seconds=60,
        options={
            "--url": {"help": "of a running `ragbase serve` with an empty data folder"},
            "--key": {"help": "an API key for it"},
        },
    ),
    "routes": Kind(routes.__doc__ or "", routes.fuzz, inputs=400, seconds=60, options={}),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__, formatter_class=_AS_WRITTEN)
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for name, kind in KINDS.items():
        said = " ".join(kind.says.split("\n\n", maxsplit=1)[0].split())
        options = kinds.add_parser(name, help=said, description=kind.says, formatter_class=_AS_WRITTEN)
        options.add_argument("--seconds", type=float, default=kind.seconds, help=f"by default {kind.seconds:.0f}")
        options.add_argument("--inputs", type=int, help="how many at most")
        options.add_argument("--seed", type=int, help="the number of the first input; by default any")
        for option, details in kind.options.items():
            options.add_argument(option, default=argparse.SUPPRESS, **details)  # type: ignore[arg-type]  # mixed kinds
    given = vars(parser.parse_args(arguments))
    name = given.pop("kind")
    seed = given.pop("seed")
    budget = Budget(_DRAWN if seed is None else seed, given.pop("inputs"), given.pop("seconds"))
    start = time.monotonic()
    report = KINDS[name].fuzz(budget, **given)
    took = round(time.monotonic() - start, 1)
    figures = {"inputs": report.inputs, "seconds": took, **report.figures}
    findings = [asdict(finding) for finding in report.findings]
    print(json.dumps({"fuzz": name, "seed": budget.seed, **figures, "findings": findings, "machine": machine()}))
    return 1 if findings else 0


_AS_WRITTEN = argparse.RawDescriptionHelpFormatter
_DRAWN = secrets.randbelow(2**32)


if __name__ == "__main__":
    sys.exit(main())
