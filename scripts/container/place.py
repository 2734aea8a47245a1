"""A place to run compose.yaml, with podman-compose instead of Docker.

The compose file is the real one. Only the ports of this machine, the name of the project and those of our images are
others, so that nothing on this machine is touched."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.local_cloud.free_ports import free_port
from scripts.locked import ROOT, locked_environment
from tests.page_blocks import blocks_of


def engine_environment(folder: Path) -> Mapping[str, str]:
    """The variables of this process, and one that names the settings of Podman, which are written into the folder.

    Podman raises limits of processes to fixed numbers, which a machine may refuse: this process's own are taken. runc
    also runs where both versions of control groups are mounted; crun does not.
    """
    limits = [f'"{name}={soft}:{hard}"' for name, (soft, hard) in _limits().items()]
    lines = ["[containers]", f"default_ulimits = [{', '.join(limits)}]"]
    if shutil.which("runc"):
        lines += ["[engine]", 'runtime = "runc"']
    file = folder / "containers.conf"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return os.environ | {"CONTAINERS_CONF": str(file)}


def _limits() -> Mapping[str, tuple[int, int]]:
    kinds = {"nofile": (resource.RLIMIT_NOFILE, 4096), "nproc": (resource.RLIMIT_NPROC, 4096)}
    found = {}
    for name, (kind, most) in kinds.items():
        _, hard = resource.getrlimit(kind)
        limit = most if hard == resource.RLIM_INFINITY else min(hard, most)
        found[name] = (limit, limit)
    return found


NOTICE = "The harbour master closes the gate at eleven o'clock every evening."


def blocks() -> Sequence[str]:
    """What the page tells to paste, without the build."""
    return [block.text for block in blocks_of("docs/container.md", "To the first answer")]


def to_the_first_answer() -> str:
    """The blocks of the page, but for the last one, which stops the server."""
    return "".join(block for block in blocks() if not block.startswith("docker compose down"))


@contextmanager
def newcomer(folder: Path, image: str) -> Iterator[Place]:
    """A home folder with a handbook. In the end, nothing of what the page starts is left. Raises NotInstalled."""
    with place(folder, {"ragbase": image}) as there:
        handbook = folder / "home" / "handbook"
        handbook.mkdir()
        handbook.chmod(0o755)
        (handbook / "notice.md").write_text(f"# Notice\n\n{NOTICE}\n", encoding="utf-8")
        yield there


COMPOSE = "podman-compose --in-pod=false"
"""A pod would be no isolation more, and its identifier on standard output."""
_PUBLISHED = re.compile(r"(?<=127\.0\.0\.1:)\d+(?=:\d+\b)")
"""A port of this machine in the compose file."""


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with the compose file, whose project has this name, and the port that stands for each that it names."""

    folder: Path
    project: str
    ports: Mapping[str, str]
    environment: Mapping[str, str]

    def container(self, service: str) -> str:
        return f"{self.project}_{service}_1"

    def shell(self, commands: str) -> Sequence[str]:
        """Run the commands in one shell, and return the lines that they print. Raises RuntimeError."""
        ported = re.sub("|".join(rf"\b{port}\b" for port in self.ports), lambda port: self.ports[port[0]], commands)
        script = ported.replace("docker compose", COMPOSE)
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise RuntimeError(f"{script}\nended with {ended.returncode}: {(ended.stdout + ended.stderr)[-3000:]}")
        return ended.stdout.splitlines()

    def podman(self, *arguments: str) -> str:
        """What Podman says. Raises RuntimeError."""
        command = ["podman", *arguments]
        ended = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise RuntimeError(f"{command} ended with {ended.returncode}: {ended.stderr[-3000:]}")
        return ended.stdout.strip()

    def log(self, service: str) -> str:
        """What the container of a service has printed on both of its streams."""
        command = ["podman", "logs", self.container(service)]
        return subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        ).stdout

    def containers(self) -> Sequence[str]:
        """The names of all that the project has, running or not."""
        project = f"label=io.podman.compose.project={self.project}"
        return self.podman("ps", "--all", "--filter", project, "--format", "{{.Names}}").split()


@contextmanager
def place(folder: Path, images: Mapping[str, str]) -> Iterator[Place]:
    """`images` are the names of ours by those of the compose file. In the end, nothing of what is started is left.
    Raises NotInstalled."""
    tools = locked_environment("podman-compose", "container")
    home, project = folder / "home", f"ragbase{time.time_ns()}"
    home.mkdir()
    for shared in (folder, home):
        shared.chmod(0o755)
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8").replace("name: ragbase\n", f"name: {project}\n")
    for name, image in images.items():
        text = text.replace(f"image: {name}\n", f"image: {image}\n")
    ports = {port: str(free_port()) for port in _PUBLISHED.findall(text)}
    (folder / "compose.yaml").write_text(_PUBLISHED.sub(lambda port: ports[port[0]], text), encoding="utf-8")
    environment = {**engine_environment(folder), "HOME": str(home)}
    environment["PATH"] = f"{Path(sys.executable).parent}:{tools}:{environment['PATH']}"
    there = Place(folder, project, ports, environment)
    try:
        yield there
    finally:
        there.shell(f"{COMPOSE} --profile local-cloud down --volumes")
