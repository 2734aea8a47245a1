"""A machine that systemd has booted, with ragbase in /opt/ragbase: a container whose process 1 is systemd.

It is the image of the Dockerfile, on Debian 13, with Debian's systemd, cron and mail. systemd gets a tree of control
groups of its own, so it also runs where the machine mounts their first version. The container has no network."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote

from scripts.container.build import build_on
from scripts.container.place import engine_environment
from scripts.local_cloud.process import cache_folder, exclusive
from scripts.local_cloud.user import eventually
from tests.e2e.image import built_image
from tests.examples.machine import TIMEOUT

TAG = "localhost/ragbase-booted:latest"
PACKAGES = ("bsd-mailx", "cron", "dbus", "dma", "faketime", "passwd", "systemd", "systemd-sysv")
"""`dma` is a mail server that delivers on this machine."""
INSTRUCTIONS = (
    "USER root",
    f"RUN apt-get update && apt-get install --yes --no-install-recommends {' '.join(PACKAGES)} "
    "&& rm -rf /var/lib/apt/lists/*",
)
RIGHTS = (
    *("--cap-add=ALL", "--cap-drop=SYS_MODULE,SYS_BOOT,SYS_TIME,SYS_RAWIO"),
    *("--security-opt=seccomp=unconfined", "--security-opt=apparmor=unconfined"),
)
"""systemd mounts, and gives each service fewer rights than it has. None of these changes the kernel of this machine."""
BOOT = """
umount --recursive /sys/fs/cgroup
mount -t cgroup2 cgroup2 /sys/fs/cgroup
if [ "$(find /sys/fs/cgroup -mindepth 1 -type d)" ]; then echo "The control groups are not its own."; exit 1; fi
exec env -i container=podman /lib/systemd/systemd
"""
EXAMPLE = "/root/example"
VARIABLES = ("HOME=/root", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


@dataclass(frozen=True, slots=True)
class Booted:
    """`container` is its name, `environment` has the variables of Podman."""

    container: str
    environment: Mapping[str, str]

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script as root to its end."""
        command = ["env", "-i", *VARIABLES, "bash", "-euo", "pipefail", "-c", script]
        return _podman(self.environment, "exec", self.container, *command)

    def done(self, script: str) -> str:
        """What a script of root prints that succeeds."""
        ended = self.run(script)
        assert ended.returncode == 0, f"{script}\n{ended.stdout}{ended.stderr}{self.journal()}"
        return ended.stdout

    def copy(self, file: Path, place: str) -> None:
        ended = _podman(self.environment, "cp", str(file), f"{self.container}:{place}")
        assert ended.returncode == 0, ended.stderr

    def journal(self, unit: str = "*") -> str:
        """What the unit has said, and what systemd says of it."""
        return self.run(f"journalctl --no-pager --output=cat --unit='{unit}'").stdout

    def ragbase(self, arguments: str) -> str:
        """What a command prints to the user ragbase in a shell of its own."""
        return self.done(f"runuser -l ragbase -c {quote(f'/opt/ragbase/bin/ragbase {arguments}')}")

    def is_up(self) -> bool:
        """Whether systemd has started what belongs to the start. Raises AssertionError if it has ended."""
        told = self.run("systemctl is-system-running")
        assert "container state improper" not in told.stderr, _podman(self.environment, "logs", self.container).stdout
        return told.stdout.strip() in ("running", "degraded")


def booted_image() -> str:
    """Its name. Raises Missing, NotBuilt."""
    with exclusive(cache_folder("image-booted")):
        build_on(built_image(), INSTRUCTIONS, TAG, folders={}, layers=True)
    return TAG


@contextmanager
def booted(image: str, example: Path) -> Iterator[Booted]:
    """A machine that was just booted from that image, with the folder of an example in EXAMPLE. In the end, it is
    gone."""
    with tempfile.TemporaryDirectory(prefix="ragbase-booted-") as folder:
        environment = engine_environment(Path(folder))
        name = f"ragbase-booted-{time.time_ns()}"
        started = _podman(
            environment,
            *("run", "--detach", "--name", name, "--hostname=archive", "--user=root", "--workdir=/", "--network=none"),
            *("--systemd=false", "--cgroupns=private", "--no-healthcheck", "--tmpfs=/run", "--tmpfs=/tmp", *RIGHTS),
            f"--volume={example}:{EXAMPLE}:ro",
            *("--entrypoint", '["/bin/sh", "-euc"]', image, BOOT),
        )
        try:
            assert started.returncode == 0, started.stderr
            machine = Booted(name, environment)
            eventually(partial(Booted.is_up, machine))
            yield machine
        finally:
            _podman(environment, "rm", "--force", "--ignore", "--volumes", "--time=0", name)


def _podman(environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["podman", *arguments], env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
