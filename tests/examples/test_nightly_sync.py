"""The units and the crontab of examples/nightly-sync: systemd's own checks, and what they run, on a folder.

test_nightly_sync_booted.py has systemd and cron run them."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

import pytest

from ragbase.formats.sandbox.kernel import landlock_version
from tests.examples.confined import read
from tests.examples.machine import EXAMPLES, TIMEOUT, Machine, replaced
from tests.models import model_folder
from tests.office_documents import docx
from tests.page_blocks import blocks_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing. Install Debian's package systemd."
    ),
]

FOLDER = EXAMPLES / "nightly-sync"
UNITS = ("ragbase-sync.service", "ragbase-sync.timer", "ragbase-sync-failed.service")
SERVICE, TIMER, FAILED = (dict(read(FOLDER / name)) for name in UNITS)
BACKUP = "The nightly backup starts at half past two, and is kept on another continent.\n"


@dataclass(frozen=True)
class Night:
    """A machine with a handbook. `home` is the home folder of the user ragbase."""

    machine: Machine
    handbook: Path
    home: Path

    @property
    def places(self) -> dict[str, str]:
        return {
            "/opt/ragbase/bin": str(self.machine.home / "bin"),
            "/srv/handbook": str(self.handbook),
        }

    def here(self, text: str) -> str:
        return replaced(text, {old: new for old, new in self.places.items() if old in text})

    @property
    def by_systemd(self) -> tuple[list[str], dict[str, str]]:
        """What ExecStart runs, and its environment."""
        return shlex.split(self.here(SERVICE["ExecStart"][0])), {}

    @property
    def by_cron(self) -> tuple[list[str], dict[str, str]]:
        """What cron gives to sh, and its environment: HOME, LOGNAME, SHELL, and what the crontab sets (crontab(5))."""
        lines = (FOLDER / "crontab").read_text(encoding="utf-8").splitlines()
        variables = {name: self.here(value) for name, value in re.findall(r"^(\w+)=(.*)$", "\n".join(lines), re.M)}
        (line,) = (line for line in lines if re.match(r"[\d*]", line))
        *when, command = line.split(maxsplit=5)
        assert when == ["30", "4", "*", "*", "*"]
        assert "%" not in command  # cron would take it for a new line
        return ["/bin/sh", "-c", self.here(command)], variables

    def run(self, how: str) -> subprocess.CompletedProcess[str]:
        command, own = self.by_cron if how == "cron" else self.by_systemd
        return subprocess.run(
            command, env=self.environment(own), capture_output=True, text=True, timeout=TIMEOUT, check=False
        )

    def environment(self, own: dict[str, str]) -> dict[str, str]:
        """That of the user ragbase, and where the tests have ragbase and its models."""
        ours = {name: self.machine.variables[name] for name in ("PYTHONPATH", "RAGBASE_EMBEDDER")}
        ours["RAGBASE_MODEL_FOLDER"] = str(model_folder("minilm"))
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.home), **ours, **own}

    def documents(self) -> list[str]:
        listed = self.machine.done("ragbase list --json", HOME=str(self.home))
        return sorted(Path(one["filename"]).name for one in json.loads(listed)["documents"])


@pytest.fixture
def night(machine: Machine, tmp_path: Path) -> Night:
    night = Night(machine, tmp_path / "handbook", tmp_path / "ragbase")
    night.handbook.mkdir()
    night.home.mkdir()
    (night.handbook / "backup.md").write_text(BACKUP, encoding="utf-8")
    return night


def test_systemd_finds_no_mistake_in_the_units_and_would_find_one(night: Night, tmp_path: Path) -> None:
    folder = tmp_path / "units"
    folder.mkdir()
    for name in UNITS:
        (folder / name).write_text(night.here((FOLDER / name).read_text(encoding="utf-8")), encoding="utf-8")
    verify = ["systemd-analyze", "verify", "--man=no", *(str(folder / name) for name in UNITS)]
    verified = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    service = folder / UNITS[0]
    service.write_text(service.read_text().replace("PrivateTmp=", "PrivateTemp="))
    assert "PrivateTemp" in subprocess.run(verify, capture_output=True, text=True, check=False).stderr


def test_systemd_rates_the_service_as_safe() -> None:
    """At most 2.0; 10 is the worst."""
    rate = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", str(FOLDER / UNITS[0])]
    rated = subprocess.run(rate, capture_output=True, text=True, check=False)
    assert rated.returncode == 0, rated.stdout[-200:]


def test_the_timer_names_a_time_of_each_night() -> None:
    told = subprocess.run(
        ["systemd-analyze", "calendar", "--iterations=2", "--base-time=2030-05-01 12:00:00 UTC", *TIMER["OnCalendar"]],
        env={"PATH": os.environ["PATH"], "TZ": "UTC"}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert re.findall(r"2030-\d\d-\d\d \d\d:\d\d:\d\d", told) == ["2030-05-02 04:30:00", "2030-05-03 04:30:00"]


@pytest.mark.parametrize(
    "zone",
    [
        "Africa/Cairo", "America/Havana", "America/New_York", "America/Nuuk", "America/Santiago", "Asia/Beirut",
        "Asia/Jerusalem", "Australia/Lord_Howe", "Australia/Sydney", "Europe/Berlin", "Europe/Helsinki",
        "Europe/London", "Pacific/Easter",
    ],
)  # fmt: skip
def test_the_timer_leaves_out_no_night_when_clocks_change(zone: str) -> None:
    """systemd runs nothing at a time that a clock skips: in Berlin, half past two in the last night of March."""
    year = ["--iterations=365", "--base-time=2030-01-01 00:00:00"]
    told = subprocess.run(
        ["systemd-analyze", "calendar", *year, *TIMER["OnCalendar"]],
        env={"PATH": os.environ["PATH"], "TZ": zone}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    nights = re.findall(r"(?:elapse|#\d+): \w+ (2030-\d\d-\d\d) ", told)
    assert (len(nights), len(set(nights)), nights[-1]) == (365, 365, "2030-12-31")


def test_the_readme_installs_all_of_it(machine: Machine, tmp_path: Path) -> None:
    """In a root of its own: `systemctl` enables there as on the machine, but starts nothing."""
    root = tmp_path / "root"
    units = root / "etc" / "systemd" / "system"
    units.mkdir(parents=True)
    stand_in = machine.home / "bin" / "crontab"
    stand_in.write_text(f'#!/bin/sh\necho "$1 $2" && cat "$3" > {root}/crontab\n')
    stand_in.chmod(0o755)
    _, systemd, cron = (one.text for one in blocks_of("examples/nightly-sync/README.md"))
    changes = {"/etc/systemd/system/": f"{units}/", "systemctl enable --now": f"systemctl --root={root} enable"}
    machine.done(replaced(systemd, changes), FOLDER)
    assert {file.name for file in units.iterdir() if file.is_file()} == set(UNITS)
    assert (units / "timers.target.wants" / "ragbase-sync.timer").is_symlink()
    assert machine.done(cron, FOLDER) == "-u ragbase\n"
    assert (root / "crontab").read_bytes() == (FOLDER / "crontab").read_bytes()


@pytest.mark.parametrize("how", [pytest.param("systemd", marks=pytest.mark.prove), "cron"])
def test_a_night_without_a_failure_says_nothing_and_follows_the_folder(night: Night, how: str) -> None:
    """So cron sends no mail."""
    (night.handbook / "leave.md").write_text("Everyone asks for leave two weeks before it begins, in writing.\n")
    ended = night.run(how)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert night.documents() == ["backup.md", "leave.md"]
    answer = night.machine.done('ragbase ask "When does the nightly backup start?"', HOME=str(night.home))
    assert answer.startswith("The nightly backup starts at half past two")


@pytest.mark.prove
@pytest.mark.parametrize("how", ["systemd", "cron"])
def test_a_document_that_cannot_be_read_fails_the_night_and_no_other_document(night: Night, how: str) -> None:
    (night.handbook / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    ended = night.run(how)
    assert ended.returncode == 1
    assert "broken.pdf" in ended.stderr
    assert "backup.md" not in ended.stderr
    again = night.run(how)
    assert again.returncode == 1 and "broken.pdf" in again.stderr
    assert "backup.md" in night.documents()


@pytest.mark.prove
@pytest.mark.parametrize("how", ["systemd", "cron"])
def test_a_missing_folder_fails_the_night_and_deletes_nothing(night: Night, how: str) -> None:
    assert night.run(how).returncode == 0
    night.handbook.rename(night.handbook.with_name("elsewhere"))
    ended = night.run(how)
    assert ended.returncode == 1
    assert f"{night.handbook}: there is no such folder" in ended.stderr
    assert night.documents() == ["backup.md"]


@pytest.mark.prove
def test_an_empty_folder_fails_the_night_and_deletes_nothing(night: Night) -> None:
    """A disk that is not mounted looks like that."""
    assert night.run("cron").returncode == 0
    (night.handbook / "backup.md").unlink()
    ended = night.run("cron")
    assert ended.returncode == 1 and ended.stderr
    assert night.documents() == ["backup.md"]


def test_somebody_is_told_of_a_failure(night: Night, tmp_path: Path) -> None:
    """systemd starts the unit that OnFailure names; cron mails to MAILTO what was said."""
    assert SERVICE["OnFailure"] == [UNITS[2]]
    assert night.by_cron[1]["MAILTO"]
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in {"journalctl": 'echo "log of $1"', "mail": f'(echo "$@"; cat) > {tmp_path}/mail'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    command = shlex.split(FAILED["ExecStart"][0].replace("%H", "archive"))
    subprocess.run(command, env={"PATH": f"{programs}:/usr/bin:/bin"}, check=True)
    expected = f"-s ragbase-sync failed on archive root\nlog of --unit={UNITS[0]}\n"
    assert (tmp_path / "mail").read_text() == expected


def test_cron_tells_somebody_of_a_run_that_was_killed(night: Night) -> None:
    """For lack of memory, say: such a run says nothing itself. systemd sees how it ended."""
    (night.machine.home / "bin" / "ragbase").write_text("#!/bin/sh\nkill -KILL $$\n")
    ended = night.run("cron")
    assert ended.returncode and "ragbase sync failed with exit code 137" in ended.stdout


@pytest.mark.prove
def test_two_runs_at_once_and_a_server_leave_each_document_once(night: Night) -> None:
    for number in range(15):
        text = f"# Rule {number}\n\nRule number {number} of the harbour is read aloud each morning by the master.\n"
        (night.handbook / f"rule-{number:02}.md").write_text(text)
    with night.machine.running("ragbase serve --port 0", night.machine.home, HOME=str(night.home)):
        runs = [
            subprocess.Popen(command, env=night.environment(variables), stdout=PIPE, stderr=PIPE, text=True)
            for command, variables in (night.by_cron, night.by_systemd, night.by_cron)
        ]
        said = [run.communicate(timeout=TIMEOUT) for run in runs]
    assert [(run.returncode, *texts) for run, texts in zip(runs, said, strict=True)] == [(0, "", "")] * 3
    assert night.documents() == ["backup.md", *(f"rule-{number:02}.md" for number in range(15))]


def confine(night: Night, unit: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    try:
        ctypes.CDLL("libseccomp.so.2")
    except OSError:
        pytest.skip("libseccomp.so.2 is missing. Install Debian's package libseccomp2.")
    if landlock_version() < 3:
        pytest.skip("This kernel has no Landlock of version 3, which takes Linux 6.2.")
    own = night.environment(night.by_systemd[1]) | variables
    temporary = night.machine.home / "tmp"
    temporary.mkdir(exist_ok=True)
    own |= {"WRITABLE": f"{night.home}:{temporary}", "TMPDIR": str(temporary)}
    program = str(Path(__file__).with_name("confined.py"))
    return subprocess.run(
        [sys.executable, program, str(unit), *command],
        env=own,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


@pytest.mark.prove
def test_the_service_works_with_the_model_and_a_reader_in_its_sandbox(night: Night) -> None:
    """With all that keeps a reader from the rest of the machine: without the calls for that, it reads nothing."""
    (night.handbook / "sailing.docx").write_bytes(docx())
    strict = {"RAGBASE_EMBEDDER": "minilm", "RAGBASE_SANDBOX": "required"}
    command, _ = night.by_systemd
    ended = confine(night, FOLDER / UNITS[0], *command, **strict)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert night.documents() == ["backup.md", "sailing.docx"]
    less = night.machine.home / "less.service"
    less.write_text(re.sub("SystemCallFilter=landlock.*", "", (FOLDER / UNITS[0]).read_text(encoding="utf-8")))
    (night.handbook / "another.docx").write_bytes(docx() + b" ")
    ended = confine(night, less, *command, **strict)
    assert ended.returncode == 1 and "a reader opens no file but its libraries" in ended.stderr


@pytest.mark.prove
def test_the_sandbox_lets_nothing_be_written_elsewhere(night: Night) -> None:
    target = night.handbook / "planted.md"
    ended = confine(night, FOLDER / UNITS[0], "sh", "-c", f"echo > {target}")
    assert ended.returncode and not target.exists()
    assert confine(night, FOLDER / UNITS[0], "sh", "-c", f"echo > {night.home}/own").returncode == 0
