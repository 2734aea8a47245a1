"""`write_data_folder FOLDER`: a small data folder of this version as text, which the tests of later versions open
(tests/data/releases). It has documents of some formats, a newer version of one, a copy, one that was deleted, one that
failed, and an API key. `bucket/` has the files, `ragbase.sql` the database, `expected.json` what was found in it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

FORMER = {"guide.md": "# Weather station\n\nThe battery of the station lasts for nine months.\n"}
DOCUMENTS = {
    "guide.md": "---\nauthor: Ada\n---\n# Weather station\n\nThe battery of the station lasts for eleven months.\n\n"
    "## Mast\n\nThe mast is six metres high, and painted in orange.\n",
    "copy.txt": "The support line is open on weekdays from nine in the morning until five in the afternoon.\n",
    "support.txt": "The support line is open on weekdays from nine in the morning until five in the afternoon.\n",
    "parts.json": '{"part": "rain gauge", "price": "48 francs", "delivery": "three weeks"}\n',
    "fees.csv": "kind,fee\nnight,12 francs\nweek,60 francs\n",
    "page.html": "<html><body><h1>Harbour</h1><p>The gate closes at eleven o'clock every evening.</p></body></html>\n",
    "gone.txt": "A page about lighthouses that was deleted.\n",
    "broken.json": '{"part": \n',
}
DELETED, FAILED = "gone.txt", "broken.json"
QUESTIONS = (
    "How long does the battery of the station last?",
    "When is the support line open?",
    "What is the price of the rain gauge?",
    "What is the fee for a night?",
    "When does the gate close?",
)
SETTINGS = {"RAGBASE_EMBEDDER": "hashing"}
"""Its vectors are the same on every machine, and mostly zeros."""


def write_data_folder(folder: Path) -> None:
    """Raises CalledProcessError if a command of ragbase does not end as it should."""
    with tempfile.TemporaryDirectory(prefix="data-folder-") as temporary:
        home = Path(temporary, "home")
        bucket = home / "bucket"  # a file that is ingested from there has the same name on every machine
        bucket.mkdir(parents=True)
        for documents, code in ((FORMER, 0), (DOCUMENTS, 1)):
            for name, text in documents.items():
                (bucket / name).write_text(text, encoding="utf-8")
            _ragbase(home, "ingest", *documents, code=code)  # 1: a document fails
        _ragbase(home, "delete", DELETED, "--yes")
        _ragbase(home, "keys", "create", "team", "--expires", "never")
        expected = {
            "documents": {one["filename"]: one["status"] for one in _json(home, "list", "--limit", "100")["documents"]},
            "questions": {
                question: _json(home, "query", question, "--threshold", "0")["results"][0]["filename"]
                for question in QUESTIONS
            },
        }
        folder.mkdir(parents=True)
        shutil.copytree(bucket, folder / "bucket")
        (folder / "expected.json").write_text(json.dumps(expected, indent=2) + "\n", encoding="utf-8")
        (folder / "ragbase.sql").write_text(_dump(home / "ragbase.db"), encoding="utf-8")


def _dump(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        return f"PRAGMA user_version={version};\n" + "".join(f"{line}\n" for line in database.iterdump())


def _json(home: Path, *arguments: str) -> Any:
    return json.loads(_ragbase(home, *arguments, "--json"))


def _ragbase(home: Path, *arguments: str, code: int = 0) -> str:
    command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", *arguments]
    variables = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_")}
    done = subprocess.run(
        command,
        cwd=home / "bucket",
        env={**variables, **SETTINGS, "RAGBASE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != code:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout


if __name__ == "__main__":
    write_data_folder(Path(sys.argv[1]))
