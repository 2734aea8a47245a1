"""What a process of ragbase writes to standard error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

COMMON = Path(__file__).resolve().parents[2] / "common"

WARNING = """
import warnings
from ragbase.telemetry import configure
configure({level!r})
warnings.simplefilter("default")  # as weaviate does when it is imported
warnings.warn("grpcio < 1.83.0 does not support a thing to come.", FutureWarning)
warnings.warn("a file was not closed", ResourceWarning)
"""


def said(level: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", WARNING.format(level=level)],
        env={"PYTHONPATH": str(COMMON)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()


def test_a_warning_is_a_line_of_the_log_and_what_nobody_can_act_on_is_none() -> None:
    (line,) = said("INFO")
    entry = json.loads(line)
    assert entry["severity"] == "WARNING"
    assert "a file was not closed" in entry["message"]


def test_a_command_that_logs_errors_alone_prints_no_warning() -> None:
    assert said("ERROR") == []
