"""docs/container.md, as a newcomer follows it: its blocks in their order, with podman-compose in place of Docker.

The compose file is the real one. Only the port, the name of the project and that of the image are others, so that
nothing on this machine is touched."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.container.engine import engine_environment
from scripts.local_cloud.free_ports import free_port
from scripts.locked_environment import ROOT, locked_environment
from scripts.page_blocks import blocks_of

NOTICE = "The harbour master closes the gate at eleven o'clock every evening."
COMPOSE = "podman-compose --in-pod=false"
"""A pod would be no isolation more, and its identifier on standard output."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the page is followed: a folder with the compose file, whose project has this name."""

    folder: Path
    project: str
    port: int
    environment: Mapping[str, str]

    @property
    def container(self) -> str:
        """The server's."""
        return f"{self.project}_ragbase_1"

    def shell(self, commands: str) -> Sequence[str]:
        """Run the commands in one shell, and return the lines that they print. Raises RuntimeError."""
        script = commands.replace("docker compose", COMPOSE).replace("8080", str(self.port))
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


def blocks() -> Sequence[str]:
    """What the page tells to paste, without the build."""
    return [block.text for block in blocks_of("docs/container.md", "To the first answer")]


def to_the_first_answer() -> str:
    """The blocks of the page, but for the last one, which stops the server."""
    return "".join(block for block in blocks() if not block.startswith("docker compose down"))


@contextmanager
def place(folder: Path, image: str) -> Iterator[Place]:
    """A home folder with a handbook. In the end, nothing of what the page starts is left. Raises NotInstalled."""
    tools = locked_environment("podman-compose", "container")
    home, project, port = folder / "home", f"ragbase{time.time_ns()}", free_port()
    handbook = home / "handbook"
    handbook.mkdir(parents=True)
    (handbook / "notice.md").write_text(f"# Notice\n\n{NOTICE}\n", encoding="utf-8")
    for shared in (folder, home, handbook):
        shared.chmod(0o755)
    real = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    other = real.replace("name: ragbase\n", f"name: {project}\n").replace("image: ragbase\n", f"image: {image}\n")
    (folder / "compose.yaml").write_text(other.replace("127.0.0.1:8080:", f"127.0.0.1:{port}:"), encoding="utf-8")
    environment = {**engine_environment(folder), "HOME": str(home)}
    environment["PATH"] = f"{tools}:{environment['PATH']}"
    there = Place(folder, project, port, environment)
    try:
        yield there
    finally:
        there.shell(f"{COMPOSE} down --volumes")
        shutil.rmtree(home)
