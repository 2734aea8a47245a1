"""An error that names an extra has a command that installs it, wherever ragbase came from, and in any shell."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.local_cloud.process import exclusive
from scripts.locked import locked_environment
from tests.e2e.test_installed import CACHE, OURS, locked_packages

pytestmark = [pytest.mark.slow, pytest.mark.prove]

ROOT = Path(__file__).resolve().parents[2]
NEEDS_AN_EXTRA = "import ragbase; ragbase.Client('http://localhost')"
INSTALL = "Install it with: "


class Environment:
    """An empty environment, which is not that of the shell."""

    def __init__(self, folder: Path, dist: Path) -> None:
        self.folder, self.dist = folder, dist
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")

    @property
    def packages(self) -> Path:
        (folder,) = self.folder.glob("lib/python3*/site-packages")
        return folder

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """Packages are those that the lock file names; nobody has published ragbase."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        pip = {"PIP_NO_INDEX": "1", "PIP_QUIET": "1", "PIP_FIND_LINKS": f"{locked_packages()} {self.dist / 'tools'}"}
        return subprocess.run(
            ["bash", "-c", command], cwd="/", env={**inherited, **pip}, capture_output=True, text=True, check=False
        )

    def install(self, what: str) -> None:
        done = self.shell(f"{self.python} -m pip install {what}")
        assert done.returncode == 0, done.stderr


def from_the_wheel(environment: Environment) -> None:
    (wheel,) = environment.dist.glob("*.whl")
    environment.install(str(wheel))


def from_a_wheel_that_is_gone(environment: Environment) -> None:
    (wheel,) = environment.dist.glob("*.whl")
    copy = environment.folder / wheel.name
    copy.write_bytes(wheel.read_bytes())
    environment.install(str(copy))
    copy.unlink()


def by_its_name(environment: Environment) -> None:
    """From the folder with the released files, or from an index of one's own."""
    environment.install(f"--pre --find-links {environment.dist} ragbase")


def from_the_checkout(environment: Environment) -> None:
    environment.install(f"-e {ROOT}")


def beside_the_checkout(environment: Environment) -> None:
    """As ./scripts/ragbase does it."""
    environment.install("pydantic")
    (environment.packages / "ragbase.pth").write_text(f"{ROOT / 'common'}\n", encoding="utf-8")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout, and in `tools/` what installs the checkout itself."""
    folder = tmp_path_factory.mktemp("dist")
    commands = locked_environment("hatchling", "release")
    build = [str(commands / "hatchling"), "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    lock = str(ROOT / "requirements" / "release.txt")
    for what in (["--require-hashes", "--requirement", lock], ["editables~=0.3"]):
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder / "tools")]
        subprocess.run([*download, *what], check=True)
    return folder


@pytest.mark.parametrize(
    "install",
    [from_the_wheel, from_a_wheel_that_is_gone, by_its_name, from_the_checkout, beside_the_checkout],
)
def test_the_command_installs_the_extra(install: Callable[[Environment], None], dist: Path, tmp_path: Path) -> None:
    with exclusive(CACHE):
        environment = Environment(tmp_path / "venv", dist)
        install(environment)
        use = f'{environment.python} -c "{NEEDS_AN_EXTRA}"'
        said = environment.shell(use).stderr.splitlines()[-1]
        assert "httpx2 is not installed" in said
        done = environment.shell(said.partition(INSTALL)[2])
        assert done.returncode == 0, (said, done.stderr)
        assert environment.shell(use).returncode == 0, said
