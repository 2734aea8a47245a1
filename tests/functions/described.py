"""schemathesis (https://schemathesis.readthedocs.io): requests that an API's description allows or forbids."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# A path or a file that fits the schema may still be refused: what a format is, and what a name can be, no schema says.
SETTINGS = """
[[operations]]
include-name = "POST /api/documents"
checks.positive_data_acceptance.enabled = false

[[operations]]
include-name = "POST /api/uploads"
checks.positive_data_acceptance.enabled = false
"""


IMPATIENT = """
[[operations]]
include-name = "GET /api/documents/{id}"
parameters = { wait = 0 }
"""


def check_description(
    url: str, folder: Path, *, key: str | None = None, examples: int = 15, patient: bool = True
) -> None:
    """Send requests of all kinds to the API at `url`, with links from one answer to the next request. Every answer has
    to be one that the description has, and none may be a fault of the server. `patient` says that something processes
    the documents, so that waiting for them ends."""
    settings = folder / "schemathesis.toml"
    settings.write_text(SETTINGS if patient else SETTINGS + IMPATIENT, encoding="utf-8")
    options = ["--max-examples", str(examples), "--no-color", "--generation-database", "none"]
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run", f"{url}/openapi.json"]
    headers = ["--header", f"Authorization: Bearer {key}"] if key is not None else []
    done = subprocess.run(
        [*command, *options, *headers], capture_output=True, text=True, timeout=600, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
