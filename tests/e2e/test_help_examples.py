"""The examples that `--help` shows, pasted in a shell of a machine that has what they name."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.interfaces.cli.command_table import EXAMPLES
from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.user import eventually
from tests.contract.source_worlds import s3_client
from tests.doubles.s3_server import s3_server
from tests.e2e.test_dead_letters import lose
from tests.e2e.warm_machine import warm_machine
from tests.examples.machine import Machine, replaced

pytestmark = pytest.mark.slow

LEAVE = "How do you request leave? Ask your manager with the form of your office. Your manager approves it."
BACKUP = "The nightly backup starts at half past two and takes ten minutes."
FILES: Mapping[str, str] = {
    "handbook/leave.md": f"---\nyear: 2025\n---\n\n# Leave\n\n{LEAVE}\n",
    "notes/guide.md": f"# Backups\n\n{BACKUP}\n",
    "notes/old/guide.md": "# Backups\n\nIn former years, backups were made by hand at the end of a week.\n",
}
PLACE = Path(".local/share/ragbase")
GOLDEN = {"question": "When does the nightly backup start?", "document": "notes/guide.md"}

OF_SERVERS = (
    "ragbase mcp --endpoint https://rag.example.com",
    "ragbase serve --host 0.0.0.0 --port 9000",
    "ragbase serve --open",
)
OF_S3 = "ragbase sync s3://company-docs/handbook --dry-run"
ALL = {example for pair in EXAMPLES.values() for example in pair}
OF_TENANTS = {example for example in ALL if example.startswith("ragbase tenants ")}
OTHERS = ALL - OF_TENANTS - {*OF_SERVERS, OF_S3}
FIRST = {next(iter(pair)) for pair in EXAMPLES.values()}
"""One of each command."""


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """What the others are copies of: documents, one of which has failed, and what somebody types or asks."""
    machine = warm_machine(tmp_path_factory.mktemp("ready") / "home")
    bucket = machine.home / PLACE / "bucket"
    for folder in (machine.home, bucket):
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "report.pdf").write_bytes(pdf(f"Report. {BACKUP}"))
    (bucket / "scan.pdf").write_bytes(pdf(f"Scanned. {BACKUP}"))
    machine.run("ragbase backfill scan.pdf", RAGBASE_ALLOWED_FORMATS="md")
    machine.done("ragbase backfill")
    (machine.home / "questions.csv").write_text(
        f"question,document,text\n{GOLDEN['question']},notes/guide.md,{BACKUP}\n"
    )
    (machine.home / "questions.txt").write_text(f"{GOLDEN['question']}\n")
    (machine.home / "password.txt").write_text("a long password\n")
    (machine.home / "answers.txt").write_text("yes\n")
    port = free_port()
    sent = f"curl -sS --fail http://127.0.0.1:{port}/api/golden-questions -H 'Content-Type: application/json'"
    with machine.running(f"ragbase serve --port {port}", machine.home, port):
        machine.done(f"{sent} -d '{json.dumps(GOLDEN)}'")
    return machine


@pytest.fixture
def machine(ready: Machine, tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    shutil.copytree(ready.home, home, ignore=shutil.ignore_patterns("bin"))
    (home / PLACE / "sources.toml").write_text(f'[handbook]\naddress = "{home / "handbook"}"\n')
    return warm_machine(home)


def prepared(machine: Machine, example: str) -> str:
    """The example, after the machine has what it is about, with ids of the machine in the place of those that it
    shows."""
    changes = {}
    if "backfill" in example:
        in_bucket(machine, "guides/late.md")
    if "dead-letters" in example:
        profile = open_profile(load_config(home=machine.home / PLACE, embedder="hashing", environment={}))
        assert isinstance(profile, EmbeddedProfile)
        (changes["0b6c3f52"],) = lose(profile, "lost.md")
        profile.close()
    if "keys revoke" in example:
        for shown in ("5f0e1c2d3b4a5968", "0a1b2c3d4e5f6071"):
            machine.done(f"ragbase keys create key-{shown[0]}")
        keys = json.loads(machine.done("ragbase keys list --json"))["keys"]
        changes = dict(zip(("5f0e1c2d3b4a5968", "0a1b2c3d4e5f6071"), (key["id"] for key in keys), strict=True))
    if "HASH" in example:
        machine.done("ragbase delete notes/old/guide.md")
        changes["HASH"] = machine.done("ragbase audit verify").split()[-1]
    return replaced(example, {shown: other for shown, other in changes.items() if shown in example})


def in_bucket(machine: Machine, name: str) -> None:
    """A file that no event has told of yet."""
    file = machine.home / PLACE / "bucket" / name
    file.parent.mkdir()
    file.write_text(FILES["notes/guide.md"])


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, marks=[] if one in FIRST else pytest.mark.prove) for one in sorted(OTHERS)],
)
def test_an_example_runs(example: str, machine: Machine) -> None:
    typed = "password.txt" if "password" in example else "answers.txt"
    machine.done(f"{{ {prepared(machine, example)}; }} < {typed}")


@pytest.mark.parametrize("example", sorted(OF_TENANTS))
def test_an_example_with_tenants_runs(example: str, machine: Machine) -> None:
    in_bucket(machine, "red/guide.md")
    machine.variables["RAGBASE_TENANCY"] = "folder"
    machine.done("ragbase backfill red/ && ragbase reindex")
    machine.done(f"{{ {example}; }} < answers.txt")


def test_an_example_with_s3_runs(machine: Machine) -> None:
    with s3_server() as s3:
        client = s3_client(s3)
        client.create_bucket(Bucket="company-docs")
        client.put_object(Bucket="company-docs", Key="handbook/leave.md", Body=LEAVE.encode())
        machine.variables.update(s3)
        assert "1" in machine.done(OF_S3)


def test_examples_with_servers_run(machine: Machine) -> None:
    asks, listens, opens = OF_SERVERS
    seen, port = machine.home / "seen", free_port()
    browser = machine.home / "bin" / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    with machine.running(f"{opens} --port {port}", machine.home, port, BROWSER=str(browser)):
        assert eventually(lambda: seen.exists() and seen.read_text()) == f"http://127.0.0.1:{port}\n"
    key = machine.done("ragbase keys create robot").strip()
    here = replaced(listens, {"0.0.0.0": "127.0.0.1", "9000": str(port)})
    with machine.running(here, machine.home, port):
        asked = replaced(asks, {"https://rag.example.com": f"http://127.0.0.1:{port}"})
        machine.done(f"{asked} < /dev/null", RAGBASE_KEY=key)
