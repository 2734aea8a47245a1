"""What each function writes to its output with the environment that Google gives it: every entry once, and as Cloud
Logging reads it (https://cloud.google.com/logging/docs/structured-logging)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.functions.guarded import hash_of
from tests.functions.recorded import Recorded
from tests.functions.served import FUNCTIONS, serve_on_folder

pytestmark = pytest.mark.slow

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
HEADERS = {"Content-Type": "application/json", "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
MALFORMED = Recorded(HEADERS, None)
NAMES = sorted(main.parent.name for main in FUNCTIONS.glob("*/main.py"))


def entry_of(line: str) -> Mapping[str, Any]:
    """Fails for a line that Cloud Logging would show without its severity."""
    entry = json.loads(line)
    assert {"severity", "message"} <= entry.keys(), line
    assert ("action" in entry) != ("logger" in entry), line
    return {name: value for name, value in entry.items() if not name.endswith("/labels")}


@pytest.mark.parametrize(
    "name", [name if name in ("api", "fast_lane") else pytest.param(name, marks=pytest.mark.prove) for name in NAMES]
)
def test_a_function_logs_each_entry_once_with_its_severity_action_and_trace(name: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings = {"RAGBASE_HOME": str(home), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}
    settings |= {"RAGBASE_LOG_LEVEL": "INFO", "GOOGLE_CLOUD_PROJECT": "my-project"}
    settings |= {"RAGBASE_PASSWORD_HASH": hash_of()}
    home.mkdir()
    (home / "sources.toml").write_text('[gone]\naddress = "/nowhere"\n')
    request, path = {
        "api": (Recorded(HEADERS, {"secret": "a wrong one"}), "/api/session"),
        "janitor": (Recorded(HEADERS, {}), "/"),
        "sources": (Recorded(HEADERS, {}), "/"),
    }.get(name, (MALFORMED, "/"))

    with serve_on_folder(name, settings, tmp_path / "log") as served:
        started = len(served.log.read_text().splitlines())
        assert served.post(request, path).status in (200, 400, 401), served.log.read_text()
        lines = served.log.read_text().splitlines()

    entries = [entry_of(line) for line in lines]
    caused = entries[started:]
    assert caused
    assert {entry.get("logging.googleapis.com/trace") for entry in caused} == {f"projects/my-project/traces/{TRACE}"}
    said = [(entry["message"], entry.get("action"), json.dumps(entry, sort_keys=True)) for entry in entries]
    assert len(said) == len(set(said)), said
    messages = [entry["message"] for entry in caused]
    assert len(messages) == len(set(messages)), messages
