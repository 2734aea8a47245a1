"""The end of every way back: reconcile repairs until it finds nothing. The bucket is always right; records and index
follow it (docs/operate.md)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

KINDS = ("missing", "stale", "orphaned", "stuck", "unlabelled")


class Unsettled(Exception):
    """Differences are left after the time. The message names them."""


def settle(
    settings: Mapping[str, str],
    seconds: float,
    *,
    say: Callable[[str], None],
    grace: int | None = None,
    pause: float = 15,
) -> Mapping[str, Any]:
    """Repair, and compare again, until a comparison finds no difference and nothing in motion. Gives its report.

    `settings` are the environment variables of commands against the deployment. Raises Unsettled.
    """
    ends = time.monotonic() + seconds
    while True:
        report = _reconcile(settings, grace)
        if report["complete"] and not report["errors"] and not any(report[kind] for kind in (*KINDS, "inMotion")):
            return report
        found = {kind: report[kind] for kind in KINDS if report[kind]}
        about = ", ".join(f"{count:,} {kind}" for kind, count in {**found, "in motion": report["inMotion"]}.items())
        if time.monotonic() > ends:
            raise Unsettled(f"Reconcile still finds {about}. Look at one of them: ragbase status NAME.")
        say(f"{report['inStep']:,} in step, {about}")
        time.sleep(pause)


def _reconcile(settings: Mapping[str, str], grace: int | None) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", "reconcile", "--repair", "--json"]
    command += [] if grace is None else ["--grace", str(grace)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise Unsettled(f"ragbase reconcile failed: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report
