"""examples/nightly-sync as its README says, on a machine that systemd has booted: real systemd, cron and mail."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scripts.local_cloud.user import eventually
from tests.examples.booted import EXAMPLE, Booted, booted, booted_image
from tests.examples.machine import EXAMPLES
from tests.office_documents import docx
from tests.page_blocks import blocks_of

pytestmark = pytest.mark.prove

FOLDER = EXAMPLES / "nightly-sync"
USER, BY_SYSTEMD, BY_CRON = (one.text for one in blocks_of("examples/nightly-sync/README.md"))
START = "systemctl start ragbase-sync"
BACKUP = "The nightly backup starts at half past two, and is kept on another continent."
LEAVE = "Everyone asks for leave two weeks before it begins, in writing."


@pytest.fixture(scope="module")
def image() -> str:
    return booted_image()


@pytest.fixture
def machine(image: str) -> Iterator[Booted]:
    """With what the README expects, and a handbook. The models are where a first command of the user ragbase puts
    them."""
    with booted(image, FOLDER) as machine:
        machine.done(USER)
        machine.done(
            "mkdir /srv/handbook && runuser -u ragbase -- mkdir -p /var/lib/ragbase/.cache/ragbase && "
            "cp -a /opt/models /var/lib/ragbase/.cache/ragbase/models && chown -R ragbase: /var/lib/ragbase/.cache"
        )
        write(machine, "backup.md", BACKUP)
        write(machine, "leave.md", LEAVE)
        yield machine


@pytest.fixture
def nights(machine: Booted) -> Booted:
    """Where the timer is installed."""
    machine.done(f"cd {EXAMPLE}\n{BY_SYSTEMD}")
    return machine


def write(machine: Booted, name: str, text: str) -> None:
    machine.done(f"cat > /srv/handbook/{name} <<'END'\n{text}\nEND")


def documents(machine: Booted) -> Mapping[str, Mapping[str, Any]]:
    """By the names of their files."""
    return {Path(one["filename"]).name: one for one in json.loads(machine.ragbase("list --json"))["documents"]}


def names(machine: Booted) -> list[str]:
    return sorted(documents(machine))


def mail(machine: Booted) -> str:
    return machine.done("cat /var/mail/root 2>/dev/null || true")


def drop_in(machine: Booted, unit: str, *lines: str) -> None:
    """Settings that change the unit, as `systemctl edit` writes them."""
    folder = f"/etc/systemd/system/{unit}.d"
    machine.done(f"mkdir -p {folder} && cat > {folder}/test.conf <<'END'\n" + "\n".join(lines) + "\nEND")
    machine.done("systemctl daemon-reload")


def inside(machine: Booted, command: str) -> str:
    """What a command says that the service runs in place of its own, with all other settings of the unit."""
    drop_in(machine, "ragbase-sync.service", "[Service]", "ExecStart=", f"ExecStart={command}", "SyslogIdentifier=told")
    machine.run(START)
    return machine.done("journalctl --no-pager --output=cat --identifier=told")


def test_the_timer_waits_for_the_next_half_past_four(nights: Booted) -> None:
    (timer,) = json.loads(nights.done("systemctl list-timers --output=json ragbase-sync.timer"))
    when = datetime.fromtimestamp(timer["next"] / 1_000_000, UTC)
    assert timer["activates"] == "ragbase-sync.service"
    assert "04:30" <= f"{when:%H:%M}" <= "04:45", when
    assert names(nights) == []


def test_a_run_brings_in_the_folder_and_says_nothing(nights: Booted) -> None:
    nights.done(START)
    assert nights.done("systemctl show --value --property=Result ragbase-sync") == "success\n"
    assert names(nights) == ["backup.md", "leave.md"]
    answer = nights.ragbase('ask "When does the nightly backup start?"')
    assert answer.startswith("The nightly backup starts at half past two")
    assert nights.done("journalctl --no-pager --output=cat --identifier=ragbase") == ""
    assert mail(nights) == ""


def test_the_next_run_reads_what_has_changed_and_removes_what_is_gone(nights: Booted) -> None:
    for number in range(5):
        write(nights, f"rule-{number}.md", f"Rule number {number} of the harbour is read aloud by its master.")
    nights.done(START)
    before = documents(nights)
    write(nights, "leave.md", f"{LEAVE} The head of the house agrees to it.")
    nights.done("rm /srv/handbook/rule-3.md")
    nights.done(START)
    after = documents(nights)
    assert set(before) - set(after) == {"rule-3.md"}
    assert [name for name in after if after[name] != before[name]] == ["leave.md"]


def test_a_document_that_cannot_be_read_fails_the_unit_and_root_gets_the_log(nights: Booted) -> None:
    nights.done("printf '%%PDF-1.7\nnothing follows' > /srv/handbook/broken.pdf")
    assert nights.run(START).returncode == 1
    assert nights.run("systemctl is-failed ragbase-sync").stdout == "failed\n"
    assert "broken.pdf" in nights.journal("ragbase-sync.service")
    sent = eventually(lambda: mail(nights))
    assert "Subject: ragbase-sync failed on archive\n" in sent
    assert "broken.pdf" in sent
    eventually(lambda: nights.run("systemctl is-active ragbase-sync-failed").stdout == "inactive\n")
    assert [name for name in names(nights) if name != "broken.pdf"] == ["backup.md", "leave.md"]


def test_if_much_has_vanished_the_unit_fails_and_deletes_nothing(nights: Booted) -> None:
    nights.done(START)
    nights.done("rm /srv/handbook/leave.md")
    assert nights.run(START).returncode == 1
    assert "more than 20 %" in nights.journal("ragbase-sync.service")
    assert names(nights) == ["backup.md", "leave.md"]


def test_a_missing_folder_fails_the_unit_and_deletes_nothing(nights: Booted) -> None:
    nights.done(START)
    nights.done("mv /srv/handbook /srv/elsewhere")
    assert nights.run(START).returncode == 1
    assert "/srv/handbook: there is no such folder" in nights.journal("ragbase-sync.service")
    assert names(nights) == ["backup.md", "leave.md"]


def test_a_machine_that_was_off_at_night_catches_up_when_it_starts(machine: Booted) -> None:
    """Its timer ran two days ago, and not since. The delay by chance is left out."""
    stamps = "/var/lib/systemd/timers"
    machine.done(f"mkdir -p {stamps} && touch -d '2 days ago' {stamps}/stamp-ragbase-sync.timer")
    drop_in(machine, "ragbase-sync.timer", "[Timer]", "RandomizedDelaySec=0")
    machine.done(f"cd {EXAMPLE}\n{BY_SYSTEMD}")
    state = "systemctl show --value --property=ExecMainExitTimestamp ragbase-sync"
    eventually(lambda: machine.done(state).strip())
    assert names(machine) == ["backup.md", "leave.md"]


def test_the_folder_of_the_documents_is_private(nights: Booted) -> None:
    nights.done(START)
    assert nights.done("stat --format='%a %U' /var/lib/ragbase") == "700 ragbase\n"
    made = nights.done("find /var/lib/ragbase/.local -printf '%m %y %f\n'").splitlines()
    assert "600 f ragbase.db" in made
    assert [file for file in made if not file.startswith(("600 f", "700 d"))] == []
    assert "Permission denied" in nights.run("runuser -u nobody -- ls /var/lib/ragbase").stderr


PROBE = """
import ctypes, mmap, os, re, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(what, change):
    try:
        result = change()
        print(what, "refused" if result == -1 else "done")
    except (OSError, ValueError):
        print(what, "refused")
for place in ("/srv/handbook", "/etc", "/opt/ragbase", "/usr", "/var/mail", "/dev", "/var/lib"):
    tried(f"write {place}", lambda: open(f"{place}/planted", "w"))
for place in ("/var/lib/ragbase", "/tmp", "/dev/shm", "/dev/mqueue"):
    tried(f"write {place}", lambda: open(f"{place}/planted", "w"))
tried("see /root", lambda: os.listdir("/root"))
tried("see a file of others", lambda: open("/tmp/of-root"))
tried("see the memory of others", lambda: open("/dev/shm/of-root"))
tried("see process 1", lambda: open("/proc/1/status"))
tried("mount", lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
tried("new namespace", lambda: libc.unshare(0x10000000))
tried("trace", lambda: libc.ptrace(0, 0, 0, 0))
tried("code in memory", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC))
tried("packets", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
tried("set user", lambda: os.chmod("/var/lib/ragbase/planted", 0o4755))
tried("kernel setting", lambda: open("/proc/sys/kernel/core_pattern", "w"))
status = open("/proc/self/status").read()
print("rights", re.findall(r"(?:CapBnd|CapEff|NoNewPrivs|Seccomp):\\s+(\\w+)", status))
"""
OPEN = {"write /var/lib/ragbase", "write /tmp", "write /dev/shm", "write /dev/mqueue"}


def test_the_service_may_do_what_it_needs_and_no_more(nights: Booted) -> None:
    nights.done("touch /tmp/of-root /dev/shm/of-root && chmod 777 /srv/handbook")
    nights.done(f"cat > /opt/probe.py <<'END'\n{PROBE}\nEND")
    told = inside(nights, "/opt/ragbase/bin/python /opt/probe.py").splitlines()
    found = dict(line.rsplit(" ", 1) for line in told if line.endswith((" refused", " done")))
    assert len(found) == 22, told
    assert {what for what, result in found.items() if result == "done"} == OPEN
    assert nights.run("ls /tmp/planted /dev/shm/planted /dev/mqueue/planted").stdout == "", (
        "its temporary folders are its own"
    )
    assert f"rights {['0000000000000000', '0000000000000000', '1', '2']}" in told


def test_a_reader_is_locked_up_within_the_service(nights: Booted, tmp_path: Path) -> None:
    """Landlock and seccomp: `doctor` tries them, and a document is read where the setting requires them."""
    doctor = json.loads(inside(nights, "/opt/ragbase/bin/ragbase doctor --json"))
    (sandbox,) = (check for check in doctor["checks"] if check["name"] == "sandbox")
    assert sandbox["ok"], sandbox
    (tmp_path / "sailing.docx").write_bytes(docx())
    nights.copy(tmp_path / "sailing.docx", "/srv/handbook/sailing.docx")
    drop_in(nights, "ragbase-sync.service", "[Service]", "Environment=RAGBASE_SANDBOX=required")
    nights.done(START)
    assert names(nights) == ["backup.md", "leave.md", "sailing.docx"]


def test_the_reader_needs_the_calls_that_the_unit_adds_for_it(nights: Booted, tmp_path: Path) -> None:
    (tmp_path / "sailing.docx").write_bytes(docx())
    nights.copy(tmp_path / "sailing.docx", "/srv/handbook/sailing.docx")
    calls = "SystemCallFilter=~landlock_create_ruleset landlock_add_rule landlock_restrict_self"
    drop_in(nights, "ragbase-sync.service", "[Service]", calls, "Environment=RAGBASE_SANDBOX=required")
    assert nights.run(START).returncode == 1
    assert "a reader opens no file but its libraries" in nights.journal("ragbase-sync.service")


def at_half_past_four(machine: Booted) -> None:
    """cron runs from two seconds before the time that the crontab names, on a night of its own."""
    machine.done(f"cd {EXAMPLE}\n{BY_CRON}")
    machine.done("systemctl stop cron && systemd-run --unit=night faketime -f '@2030-05-02 04:29:58' cron -f -L 7")


def test_cron_runs_the_line_at_its_time_and_sends_no_mail(machine: Booted) -> None:
    at_half_past_four(machine)
    eventually(lambda: "END (ragbase sync" in machine.journal("night.service"))
    assert names(machine) == ["backup.md", "leave.md"]
    assert mail(machine) == ""


def test_cron_mails_to_root_what_failed(machine: Booted) -> None:
    machine.done("printf '%%PDF-1.7\nnothing follows' > /srv/handbook/broken.pdf")
    at_half_past_four(machine)
    sent = eventually(lambda: mail(machine))
    assert re.search(r"^Subject: Cron <ragbase@archive> ragbase sync /srv/handbook ", sent, re.MULTILINE), sent
    said = sent.rpartition("\n\n")[0].partition("\n\n")[2]
    assert "broken.pdf" in said and "backup.md" not in said
