"""What a process of ragbase writes to standard error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.functions.served import serve

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
    return said_by(WARNING.format(level=level))


def said_by(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program],
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


LIBRARIES = """
import logging, sqlite3
from ragbase.telemetry import configure
configure("DEBUG")
logging.getLogger("waitress.queue").warning("Task queue depth is %d", 3)
logging.getLogger("somebody").info("a detail")
try:
    sqlite3.connect(":memory:").execute("nonsense")
except sqlite3.Error:
    logging.getLogger("somebody.else").exception("failed")
"""


def test_what_libraries_log_is_json_too_from_warnings_up() -> None:
    waitress, other = map(json.loads, said_by(LIBRARIES))

    assert (waitress["severity"], waitress["message"]) == ("WARNING", "Task queue depth is 3")
    assert waitress["logger"] == "waitress.queue"
    assert (other["severity"], other["message"]) == ("ERROR", "failed")
    assert "nonsense" in other["exception"]


def test_a_second_configuration_replaces_the_first() -> None:
    program = """
from ragbase.telemetry import configure, log
configure("ERROR"); configure("INFO"); log("once")
"""
    (line,) = said_by(program)
    assert json.loads(line)["action"] == "once"


FUNCTION = """
import os
import functions_framework
from ragbase.telemetry import configure
configure("INFO")

@functions_framework.http
def named(request):
    if request.path == "/fail":
        raise ValueError("on purpose")
    return str(os.getpid())
"""


@pytest.mark.slow
def test_what_the_server_of_a_function_logs_is_json_too(tmp_path: Path) -> None:
    """gunicorn says that its worker was killed, and Flask that a request failed."""
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "main.py").write_text(FUNCTION)

    with serve("named", {}, tmp_path / "log", folder=tmp_path) as served:
        assert served.send("GET", "/fail").status == 500
        os.kill(int(served.send("GET", "/").body), signal.SIGKILL)
        served.send("GET", "/")  # another worker answers, so the death of the first one is logged

    entries = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert any("SIGKILL" in entry["message"] and entry["severity"] == "ERROR" for entry in entries)
    assert ["on purpose" in json.dumps(entry) for entry in entries].count(True) == 1
    assert all(entry["severity"] and entry["logger"] for entry in entries)
