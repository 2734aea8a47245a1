"""Requests that the description of an API allows or forbids, drawn by schemathesis (https://schemathesis.readthedocs.io):
an answer that the description does not have."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from scripts.running_server import running_server
from tests.fuzz.budget import Budget, Finding, Report

# What fits the schema may still be refused: no schema says what a format is, what a name can be, that expandTokens
# needs expand, which filters of other protocols ours can say, and after which of its items a list goes on.
SETTINGS = """
[[operations]]
include-name = "POST /api/documents"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /api/uploads"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /api/keys"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /api/query"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /api/explain"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /api/golden-questions"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "GET /v1/vector_stores"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /v1/vector_stores/{store}/search"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "GET /v1/vector_stores/{store}/files"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /retrieval"
checks.positive_data_acceptance.enabled = false
"""
PATIENCE = 60
"""Seconds for an answer, on a busy machine."""
IMPATIENT = """
[[operations]]
include-name = "GET /api/documents/{id}"
parameters = { wait = 0 }
"""


def check_description(
    url: str,
    folder: Path,
    *,
    seed: int,
    key: str | None = None,
    examples: int = 15,
    patient: bool = True,
    brief: bool = False,
) -> None:
    """Send requests of all kinds to the API at `url`, with links from one answer to the next request. Every answer has
    to be one that the description has, and none may be a fault of the server. `patient` says that something processes
    the documents, so that waiting for them ends. `brief` leaves out the links, and the list of what a schema allows and
    forbids. Raises AssertionError with what schemathesis reports."""
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS if patient else SETTINGS + IMPATIENT, encoding="utf-8")
    options = ["--max-examples", str(examples), "--seed", str(seed), "--no-color", "--generation-database", "none"]
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run", f"{url}/openapi.json"]
    options += ["--request-timeout", str(PATIENCE)]
    options += ["--phases", "fuzzing"] if brief else []
    headers = ["--header", f"Authorization: Bearer {key}"] if key is not None else []
    done = subprocess.run(
        [*command, *options, *headers], capture_output=True, text=True, timeout=600, cwd=folder, check=False
    )
    if done.returncode:
        raise AssertionError(done.stdout[-6000:] + done.stderr[-2000:])


def fuzz(budget: Budget, url: str | None = None, key: str | None = None) -> Report:
    """Check a running `ragbase serve` with an empty data folder, or one of its own. Each number draws the requests of
    all operations."""
    report = Report()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        if url is None:
            settings = {"RAGBASE_HOME": str(Path(folder, "data")), "RAGBASE_EMBEDDER": "hashing"}
            url = stack.enter_context(running_server(settings, Path(folder, "log"), Path(folder))).origin
        for seed in budget.cases(report):
            try:
                check_description(url, Path(folder), seed=seed, key=key)
            except AssertionError as error:
                report.add(Finding(seed, "an answer or a refusal that the description does not have", str(error)))
    return report
