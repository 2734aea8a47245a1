"""`ragbase --profile gcp reindex` on the local cloud: the functions go on, and queries find everything all the time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from scripts.local_cloud.inside import Index, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, eventually
from tests.e2e.command_line import COMMON, Ended

pytestmark = pytest.mark.prove

CITIES = ("Oulu", "Vaasa", "Kotka", "Turku", "Hanko", "Raahe")
SECONDS = 120
SMALL = {"RAGBASE_CHUNK_SIZE": "200", "RAGBASE_CHUNK_OVERLAP": "20"}


def text(city: str) -> str:
    paragraphs = (f"Berth {n} of the harbour at {city} is {n + 3} metres deep, and keeps its crane." for n in range(12))
    return f"# Harbour of {city}\n\n" + "\n\n".join(paragraphs)


def ragbase(cloud: LocalCloud, home: Path, *arguments: str, **settings: str) -> Ended:
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_")}
    environment = {**own, **cloud.settings(), "RAGBASE_HOME": str(home), "PYTHONPATH": str(COMMON), **settings}
    command = [sys.executable, "-m", "ragbase.interfaces.cli.main", "--profile", "gcp", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS, check=False)
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def test_chunks_are_cut_again_while_everything_goes_on(cloud: LocalCloud, user: User, tmp_path: Path) -> None:
    for city in CITIES:
        user.upload(f"harbours/{city}.md", text(city))
    for city in CITIES:
        assert user.settled(f"harbours/{city}.md")["status"] == "COMPLETED"
    before = chunks(cloud)
    with asking(user) as answers:
        cost = ragbase(cloud, tmp_path, "reindex", "--dry-run", "--json", **SMALL)
        assert cost.code == 0, cost.err
        assert cost.json["texts"] > 0

        done = ragbase(cloud, tmp_path, "reindex", "--json", **SMALL)

        assert done.json["made"], done.err
        user.upload("harbours/late.md", text("Kemi"))
        user.delete("harbours/Raahe.md")
        assert user.settled("harbours/late.md")["status"] == "COMPLETED"
        eventually(lambda: "gone" if user.document("harbours/Raahe.md") is None else None)
        after = chunks(cloud)
        assert all(after[name] > before[name] for name in before if name != "harbours/Raahe.md")
        assert {result["filename"] for result in user.ask("How deep is berth 3 at Kemi?")} >= {"harbours/late.md"}
        assert not [one for one in user.ask("harbour at Raahe") if one["filename"] == "harbours/Raahe.md"]

        # And back, for the tests that come after.
        back = ragbase(cloud, tmp_path, "reindex", "--json")
        assert back.json["made"], back.err
        assert back.json["embeddedTexts"] >= 0
        after = chunks(cloud)
        assert all(after[name] == before[name] for name in before if name != "harbours/Raahe.md")
        seen = len(answers)
        eventually(lambda: len(answers) > seen + 3)
    assert all(answers)


def chunks(cloud: LocalCloud) -> Mapping[str, int]:
    """How many chunks search may show of each harbour's document."""
    with profile_of(cloud) as profile:
        index = Index(profile)
        names = [f"harbours/{city}.md" for city in CITIES]
        return {name: len(index.shown(name)) for name in names}


@contextmanager
def asking(user: User) -> Iterator[list[bool]]:
    """Ask again and again; gives for each answer whether it had what it should."""
    answers: list[bool] = []
    finished = Event()

    def ask() -> None:
        while not finished.is_set():
            results: list[Any] = user.ask("How deep is berth 5 of the harbour at Oulu?")
            answers.append("harbours/Oulu.md" in {result["filename"] for result in results})

    asker = Thread(target=ask)
    asker.start()
    try:
        yield answers
    finally:
        finished.set()
        asker.join()
