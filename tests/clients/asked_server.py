"""A server with documents and a key, ten questions to them, and programs of others that ask it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbase import Client
from ragbase.messages.api.query import SearchResultBody
from scripts.locked import locked_packages
from scripts.running_server import RAGBASE, running_server, with_settings
from tests.functions.guarded import PASSWORD, hash_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

DOCUMENTS = {
    "backups.md": """---
title: Backups
tags: [operations, storage]
date: 2026-03-01
url: https://wiki.example.com/backups
---
# Backups

## Schedule

The nightly backup starts at half past two and takes ten minutes.

## Retention

Backups are kept for ninety days, then the janitor removes them.

## Restore

To restore a backup, stop the service and run the restore command with the date of the backup.
""",
    "leave.md": """# Leave

Everybody has thirty days of annual leave. Ask your manager two weeks before you go.

## Illness

Call the office before nine if you are ill. After three days the office needs a note from your doctor.
""",
    "expenses.csv": "item,limit,approver\nhotel,140 euro a night,the head of the team\n"
    "train,second class,nobody\nlaptop,1800 euro,the purchasing office\n",
    "urlaub.md": "# Kündigung\n\nDie Kündigungsfrist beträgt für beide Seiten drei Monate zum Ende eines Quartals.\n",
    "手册.md": "# 会议室\n\n会议室须提前一天在前台预订，最多可容纳十二人。离开时请关灯，擦净白板，把椅子放回原处。"
    "需要投影仪的，请在预订时说明。\n",
}
QUESTIONS = (
    "When does the nightly backup start?",
    "How long are backups kept?",
    "How do I restore a backup?",
    "How many days of annual leave do I have?",
    "When do I need a note from the doctor?",
    "What is the limit for a hotel?",
    "Who approves a laptop?",
    "Wie lang ist die Kündigungsfrist?",
    "会议室可以容纳多少人？",
    "What is the boiling point of mercury on Venus?",
)
"""Each has its answer in one document, but the last, which has none."""


@dataclass(frozen=True)
class AskedServer:
    """`home` is its data folder, and `programs` a folder with the command ragbase."""

    endpoint: str
    key: str
    home: Path
    programs: Path

    @property
    def variables(self) -> dict[str, str]:
        return {"ENDPOINT": self.endpoint, "KEY": self.key, "PASSWORD": PASSWORD}

    def found(self) -> list[tuple[SearchResultBody, ...]]:
        """What our own client finds for each question."""
        with Client(self.endpoint, self.key) as client:
            return [tuple(client.query(question)) for question in QUESTIONS]

    def asked(
        self, *command: str | Path, environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> Any:
        """What a program prints, which reads the questions from standard input and writes JSON."""
        done = subprocess.run(
            command,
            input=json.dumps(QUESTIONS),
            env={**os.environ, **self.variables, **(environment or {})},
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def asked_by(self, program: str) -> list[list[dict[str, Any]]]:
        """The same with a program of this folder in Python, which may import what requirements/clients.txt locks."""
        found: list[list[dict[str, Any]]] = self.asked(sys.executable, "-P", HERE / program, environment=with_clients())
        assert len(found) == len(QUESTIONS)
        return found


def with_clients() -> dict[str, str]:
    """The variable that lets a process of Python import the clients of others, and ragbase."""
    return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "common", ROOT, locked_packages("clients"))))}


def results(found: Sequence[Mapping[str, Any]]) -> tuple[SearchResultBody, ...]:
    """Results as the HTTP API and the tools of MCP have them in JSON."""
    return tuple(SearchResultBody.model_validate(one) for one in found)


def places(found: Sequence[SearchResultBody]) -> list[str]:
    return [one.place_id for one in found]


@contextmanager
def asked_server(folder: Path, *, embedder: str = "hashing") -> Iterator[AskedServer]:
    settings = {"RAGBASE_HOME": str(folder / "home"), "RAGBASE_EMBEDDER": embedder, "RAGBASE_PASSWORD_HASH": hash_of()}
    files = folder / "files"
    files.mkdir()
    for name, text in DOCUMENTS.items():
        (files / name).write_text(text, encoding="utf-8")
    ragbase_says(settings, "ingest", *DOCUMENTS, folder=files)
    key = json.loads(
        ragbase_says(settings, "keys", "create", "clients", "--scope", "read", "--scope", "write", "--json")
    )["key"]
    with running_server(settings, folder / "log") as server:
        yield AskedServer(server.origin, key, folder / "home", _programs(folder / "programs"))


def _programs(folder: Path) -> Path:
    """A folder for PATH with the command ragbase of this checkout."""
    folder.mkdir()
    program = folder / "ragbase"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(RAGBASE)} "$@"\n')
    program.chmod(0o755)
    return folder


def ragbase_says(settings: Mapping[str, str], *arguments: str, folder: Path | None = None) -> str:
    done = subprocess.run(
        [*RAGBASE, *arguments],
        env=with_settings(settings),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
