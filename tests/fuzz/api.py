"""Send an API requests that its description allows or forbids, drawn by schemathesis
(https://schemathesis.readthedocs.io): `fuzz-api http://127.0.0.1:8080 --runs 10` against a running `ragbase serve` with
an empty data folder. It stops at the first fault and prints the request, and the seed that draws it again."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--runs", type=int, default=1, help="how many seeds")
    parser.add_argument("--seed", type=int, default=None, help="the first of them; without it, any")
    parser.add_argument("--examples", type=int, default=40, help="how many requests of a kind")
    parser.add_argument("--key", default=None, help="an API key")
    wanted = parser.parse_args()
    first = wanted.seed if wanted.seed is not None else random.SystemRandom().randrange(2**32)
    for seed in range(first, first + wanted.runs):
        with tempfile.TemporaryDirectory() as folder:
            try:
                check_description(wanted.url, Path(folder), seed=seed, key=wanted.key, examples=wanted.examples)
            except AssertionError as error:
                print(error)
                return 1
        print(f"seed {seed}: every answer is one that the description has", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
