"""The commands of pages that have no test of their own, as a user of one machine pastes them in a shell."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package says nothing of types

from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.storage import storage_emulator
from scripts.local_cloud.user import eventually
from tests.contract.source_worlds import s3_client
from tests.contract.web_server import Page, website
from tests.doubles.s3_server import s3_server
from tests.e2e.test_eval import beir
from tests.e2e.warm_machine import warm_machine
from tests.examples.machine import ROOT, Machine, replaced
from tests.page_blocks import SHOWN, block_of, code_in_sentences, read_all

pytestmark = pytest.mark.slow

BACKUP = "The nightly backup starts at half past two and takes ten minutes."
LEAVE = "Request leave two weeks before you go, with the form of your office."
PIP = """#!/bin/sh
# In place of pip: the extras are there, if ragbase has extras with these names.
[ "$1" = install ] && exec {python} - "$2" <<'PY'
import re, sys, tomllib
extras = tomllib.load(open("{project}", "rb"))["project"]["optional-dependencies"]
named = re.fullmatch(r"\\.\\[([\\w,-]+)\\]", sys.argv[1])
sys.exit(not named or bool(set(named[1].split(",")) - set(extras)))
PY
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return warm_machine(tmp_path / "home")


def in_bucket(machine: Machine, files: Mapping[str, str]) -> None:
    """Documents with these names are in the index."""
    for name, text in files.items():
        file = machine.home / ".local/share/ragbase/bucket" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    machine.done("ragbase backfill")


def with_pip(machine: Machine) -> None:
    pip = machine.home / "bin" / "pip"
    python = machine.variables["PATH"].split(":")[1] + "/python"
    pip.write_text(PIP.format(python=python, project=ROOT / "pyproject.toml"))
    pip.chmod(0o755)


def test_a_password_gets_its_hash(machine: Machine) -> None:
    command = block_of("docs/access.md", "The password").text
    assert machine.done(f"echo 'a long password' | {command}").startswith("scrypt.")


def test_keys_are_made_listed_and_revoked(machine: Machine) -> None:
    create, show, revoke = block_of("docs/access.md", "API keys").text.splitlines()
    assert machine.done(create).startswith("rb_")
    (key,) = json.loads(machine.done(f"{show} --json"))["keys"]
    assert key["scopes"] == ["read", "write"] and key["prefixes"] == ["finance/"]
    machine.done(replaced(revoke, {"0123456789abcdef": key["id"]}))
    assert machine.done(show) == "no keys\n"


def test_the_key_of_a_page_is_made(machine: Machine) -> None:
    command = block_of("docs/access.md", "On a page of yours").text
    assert "rb_" in machine.done(command, RAGBASE_TENANCY="folder")


def test_an_answer_looks_as_the_page_shows(machine: Machine) -> None:
    in_bucket(machine, {"notes/guide.md": f"# Guide\n\n\n## Backups\n\n{BACKUP}\n"})
    (shown,) = [
        block.text for block in read_all("docs/answers.md") if (block.heading, block.language) == ("Answers", SHOWN)
    ]
    assert machine.done(block_of("docs/answers.md", "Answers").text) == shown


def test_a_shell_takes_the_line_that_completes_commands(machine: Machine) -> None:
    """Bash runs its line. Of the others, what `ragbase` prints for them."""
    lines = [code for code in code_in_sentences("docs/cli.md") if "_RAGBASE_COMPLETE" in code]
    assert "ragbase" in machine.done(f"{lines[0]}\ncomplete -p ragbase")
    assert len(lines) == 3
    for call in re.findall(r"_RAGBASE_COMPLETE=\w+ ragbase", " ".join(lines)):
        assert "complet" in machine.done(call)


def test_a_deployment_is_filled_and_asked(machine: Machine) -> None:
    (machine.home / "handbook").mkdir()
    (machine.home / "handbook" / "leave.md").write_text(f"# Leave\n\n{LEAVE}\n")
    key, port = machine.done("ragbase keys create me --scope read --scope write").strip(), free_port()
    block = block_of("docs/cli.md", "A deployment").text
    script = replaced(block, {"https://rag.example.com": f"http://127.0.0.1:{port}", "…": key})
    with machine.running(f"ragbase serve --port {port}", machine.home, port):
        assert LEAVE in machine.done(script)


def test_the_console_is_opened_in_a_browser(machine: Machine) -> None:
    seen, port = machine.home / "seen", free_port()
    browser = machine.home / "bin" / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o755)
    command = block_of("docs/console.md", "Open it, and sign in").text.strip()
    with machine.running(f"{command} --port {port}", machine.home, port, BROWSER=str(browser)):
        assert eventually(lambda: seen.exists() and seen.read_text()) == f"http://127.0.0.1:{port}\n"


def test_questions_of_an_owner_are_asked_compared_and_kept_by_a_reindex(machine: Machine) -> None:
    with_pip(machine)
    in_bucket(
        machine,
        {
            "guides/backup.md": "# Backups\n\nThey are made at night, and kept for a month on another continent.\n",
            "guides/leave.md": f"# Leave\n\n{LEAVE}\n",
        },
    )
    (machine.home / "questions.csv").write_text(block_of("docs/evaluation.md", "Your own questions", 2).text)
    beir(machine.home / "cranfield")
    machine.done(block_of("docs/evaluation.md", "Evaluation").text)
    assert "answered" in machine.done(block_of("docs/evaluation.md", "Your own questions").text)
    assert "nDCG@10" in machine.done(block_of("docs/evaluation.md", "A collection in the form of BEIR").text)
    machine.done(block_of("docs/evaluation.md", "Comparing").text)
    machine.done(block_of("docs/evaluation.md", "The gate of a reindex").text)


def test_golden_questions_are_asked(machine: Machine) -> None:
    in_bucket(machine, {"guides/backup.md": f"# Backups\n\n{BACKUP}\n"})
    port = free_port()
    kept = '{"question": "When does the nightly backup start?", "document": "guides/backup.md"}'
    sent = f"curl -sS --fail http://127.0.0.1:{port}/api/golden-questions -H 'Content-Type: application/json'"
    with machine.running(f"ragbase serve --port {port}", machine.home, port):
        machine.done(f"{sent} -d '{kept}'")
    assert "nDCG@10" in machine.done(block_of("docs/evaluation.md", "Golden questions").text)


def test_a_folder_is_ingested_with_what_its_formats_need(machine: Machine) -> None:
    with_pip(machine)
    (machine.home / "notes").mkdir()
    (machine.home / "notes" / "guide.md").write_text(f"# Backups\n\n{BACKUP}\n")
    script = replaced(block_of("docs/formats.md", "Formats").text, {"FOLDER": "notes"})
    assert machine.done(script).splitlines()[-1] == "1 document, 1 chunk; 0 unchanged, 0 failed"


def test_the_audit_log_of_a_document_is_listed_and_verified(machine: Machine) -> None:
    in_bucket(machine, {"handbook/leave.md": f"# Leave\n\n{LEAVE}\n"})
    machine.done("ragbase delete handbook/leave.md --yes")
    assert "delete" in machine.done(block_of("docs/operate.md", "Who did what").text)


def test_each_source_is_synced(machine: Machine) -> None:
    (machine.home / "handbook").mkdir()
    (machine.home / "handbook" / "leave.md").write_text(f"# Leave\n\n{LEAVE}\n")
    page = {
        "/": Page(f"<h1>Leave</h1><p>{LEAVE}</p>"),
        "/sitemap.xml": Page(status=404),
        "/robots.txt": Page(status=404),
    }
    with (
        s3_server() as s3,
        storage_emulator("page", "nobody-listens", "127.0.0.1:1", bucket="none") as host,
        website(page) as site,
        pytest.MonkeyPatch.context() as patched,
    ):
        client = s3_client(s3)
        client.create_bucket(Bucket="company-docs")
        client.put_object(Bucket="company-docs", Key="handbook/leave.md", Body=LEAVE.encode())
        patched.setenv("STORAGE_EMULATOR_HOST", host)
        bucket = Client(project=None).create_bucket("company-files", project="page")
        bucket.blob("handbook/leave.md").upload_from_string(LEAVE)
        block = block_of("docs/sources.md", "Sources: documents that live elsewhere").text
        script = replaced(block, {"https://docs.example.com/": f"{site.url}/"})
        google = {"STORAGE_EMULATOR_HOST": host, "NO_GCE_CHECK": "true"}
        machine.variables.update(s3, RAGBASE_ALLOWED_HOSTS="127.0.0.1", **google)
        printed = machine.done(script)
    counts = [line for line in printed.splitlines() if line.endswith(" failed")]
    added = "1 added, 0 changed, 0 deleted, 0 unchanged, 0 vanished, 0 left out, 0 failed"
    assert len(counts) == 5 and counts[:4] == [added] * 4, printed


def test_tenants_are_split_asked_listed_and_deleted(machine: Machine) -> None:
    in_bucket(
        machine,
        {name: f"# Rules\n\nThe boiler of {name} is inspected in spring.\n" for name in ("red/a.md", "blue/a.md")},
    )
    script = block_of("docs/tenants.md", "Tenants").text
    printed = machine.done(f"{{\n{script}}} < <(yes)")
    assert "red/a.md" in printed and "blue/a.md" not in printed
    key = block_of("docs/tenants.md", "Over HTTP").text
    assert "rb_" in machine.done(key, RAGBASE_TENANCY="folder")


def test_troubleshooting_begins_with_commands_that_say_something(machine: Machine) -> None:
    (machine.home / "guide.md").write_text(f"# Backups\n\n{BACKUP}\n")
    machine.done("ragbase ingest guide.md")
    script = replaced(
        block_of("docs/troubleshooting.md", "Troubleshooting").text,
        {"FILE": "guide.md", "your question": "When does the nightly backup start?"},
    )
    printed = machine.done(script)
    assert "guide.md" in printed and "No documents." in printed
