"""./scripts/release, in a copy of this checkout that is a release: what it makes, and what it refuses."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragbase.config import load_config
from ragbase.version import NUMBER
from scripts.container.build import NotBuilt
from scripts.local_cloud.process import exclusive
from scripts.make_release import build_image
from scripts.page_blocks import block_of
from scripts.write_sbom import what_runs
from tests.e2e.test_installed import CACHE, OURS, locked_packages

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
VERSION = "7.1.0"
STABILITY = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8").partition("\n## Releases\n")[2]
TABLED = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)


@dataclass(frozen=True)
class Checkout:
    """A repository with all files of this checkout."""

    root: Path

    def release(self, *options: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "scripts.make_release", *map(str, options)],
            cwd="/",
            env={
                **os.environ,
                "PYTHONPATH": f"{self.root / 'common'}:{self.root}",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        (self.root / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    def git(self, *arguments: str) -> None:
        who = {f"GIT_{role}_{what}": "a@a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        subprocess.run(["git", *arguments], cwd=self.root, env={**os.environ, **who}, capture_output=True, check=True)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A release")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Its version is VERSION, and the changelog has entries for that."""
    checkout = Checkout(tmp_path_factory.mktemp("original"))
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if (ROOT / name).is_file():
            (checkout.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout.root / name, follow_symlinks=False)
    checkout.replace("common/ragbase/version.py", f'NUMBER = "{NUMBER}"', f'NUMBER = "{VERSION}"')
    entry = f"## Unreleased\n\n## {VERSION} – 2027-01-15\n\n### Added\n\n- A lamp.\n"
    checkout.replace("CHANGELOG.md", "## Unreleased\n", entry)
    checkout.git("init", "--quiet")
    checkout.commit()
    return checkout


@pytest.fixture
def checkout(original: Checkout, tmp_path: Path) -> Checkout:
    """One to change."""
    original.git("clone", "--quiet", str(original.root), str(tmp_path / "clone"))
    return Checkout(tmp_path / "clone")


@pytest.fixture(scope="module")
def files(original: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the release."""
    folder = tmp_path_factory.mktemp("made") / "release"
    made = original.release("--output", folder, "--no-image")
    assert (made.returncode, made.stderr) == (0, "")
    assert f"git tag --annotate v{VERSION}" in made.stdout
    return folder


def names(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}


def test_it_has_what_the_page_says(files: Path) -> None:
    data_folder = {name for name in names(files) if name.startswith("data-folder/")}
    assert {"data-folder/ragbase.sql", "data-folder/expected.json", "data-folder/bucket/guide.md"} <= data_folder
    said = {name.replace("0.2.0", VERSION) for name in TABLED.findall(STABILITY)}
    assert {name.partition("/")[0] for name in names(files) - data_folder} == {name.rstrip("/") for name in said}
    assert {f"sbom/{lock.stem}.cdx.json" for lock in what_runs()} <= names(files)
    assert (files / "CHANGES.md").read_text("utf-8").startswith(f"# ragbase {VERSION}\n\n### Added\n\n- A lamp.\n")
    with zipfile.ZipFile(files / f"ragbase-{VERSION}-py3-none-any.whl") as wheel:
        assert f"Version: {VERSION}\n" in wheel.read(f"ragbase-{VERSION}.dist-info/METADATA").decode()
    with tarfile.open(files / f"ragbase-{VERSION}.tar.gz") as sdist:
        assert {f"ragbase-{VERSION}/{name}" for name in ("LICENSE", "CHANGELOG.md", "scripts/release")} <= set(
            sdist.getnames()
        )


def test_another_clone_gives_the_same_bytes(files: Path, checkout: Checkout, tmp_path: Path) -> None:
    """Its path, its file modes, its times and what git ignores in it are others."""
    (checkout.root / "build").mkdir()
    (checkout.root / "build" / "left").touch()
    (checkout.root / "README.md").chmod(0o600)
    checkout.git("tag", f"v{VERSION}")  # a release is made again from its tag
    assert checkout.release("--output", tmp_path / "again", "--no-image").returncode == 0
    sums = (files / "SHA256SUMS").read_text(encoding="utf-8")
    assert (tmp_path / "again" / "SHA256SUMS").read_text(encoding="utf-8") == sums
    assert len(sums.splitlines()) == len(what_runs()) + 3


def test_it_is_checked_and_installed_as_the_page_says(files: Path, tmp_path: Path) -> None:
    block = block_of("docs/stability.md", "Releases").text
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    script = f"{block.replace('0.2.0', VERSION)}ragbase --version\nragbase demo\n"
    variables = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    model = {"RAGBASE_MODEL_FOLDER": str(load_config().model_folder)}
    with exclusive(CACHE):
        pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(locked_packages()), "PIP_QUIET": "2"}
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=files,
            env={
                **variables,
                **model,
                **pip,
                "HOME": str(tmp_path),
                "PATH": f"{tmp_path}/venv/bin:{os.environ['PATH']}",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    assert f"ragbase {VERSION}\n" in ended.stdout and "claims checked" in ended.stdout


def test_a_damaged_file_does_not_pass(files: Path, tmp_path: Path) -> None:
    shutil.copytree(files, tmp_path / "damaged")
    with (tmp_path / "damaged" / f"ragbase-{VERSION}.tar.gz").open("ab") as file:
        file.write(b".")
    check = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    ended = subprocess.run(check, cwd=tmp_path / "damaged", capture_output=True, text=True, check=False)
    assert ended.returncode == 1 and f"ragbase-{VERSION}.tar.gz" in ended.stdout


def still_developed(checkout: Checkout) -> None:
    checkout.replace("common/ragbase/version.py", f'"{VERSION}"', f'"{VERSION}.dev0"')


def changed(checkout: Checkout) -> None:
    checkout.replace("README.md", "# ragbase", "# Ragbase")


def new_file(checkout: Checkout) -> None:
    (checkout.root / "new").touch()


def tagged_before(checkout: Checkout) -> None:
    checkout.git("tag", f"v{VERSION}")
    changed(checkout)
    checkout.commit()


def released_before(checkout: Checkout) -> None:
    shutil.copytree(
        checkout.root / "tests" / "data" / "releases" / "0.2.0.dev0", checkout.root / "tests/data/releases" / VERSION
    )
    checkout.commit()


def without_entries(checkout: Checkout) -> None:
    checkout.replace("CHANGELOG.md", "### Added\n\n- A lamp.\n", "## 7.0.0 – 2027-01-14\n")
    checkout.commit()


def without_section(checkout: Checkout) -> None:
    checkout.replace("CHANGELOG.md", f"## {VERSION}", "## 7.0.9")
    checkout.commit()


def unreleased_entries(checkout: Checkout) -> None:
    checkout.replace("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n### Fixed\n\n- A mast.\n")
    checkout.commit()


def made_before(checkout: Checkout) -> None:
    (checkout.root / "build" / "release" / VERSION).mkdir(parents=True)


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (still_developed, f"version.py says {VERSION}.dev0. Remove .dev0"),
        (changed, "Files differ from the commit. Commit or remove them:\nM README.md"),
        (new_file, "Files differ from the commit. Commit or remove them:\n?? new"),
        (tagged_before, f"The tag v{VERSION} is on another commit"),
        (released_before, f"{VERSION} is released: tests/data/releases has its data folder"),
        (without_entries, f"CHANGELOG.md has no entries below `## {VERSION} – YYYY-MM-DD`"),
        (without_section, f"CHANGELOG.md has no entries below `## {VERSION} – YYYY-MM-DD`"),
        (unreleased_entries, "CHANGELOG.md has entries below `## Unreleased`"),
        (made_before, "exists. Remove it, or name another folder"),
    ],
)
def test_it_refuses(checkout: Checkout, prepare: Callable[[Checkout], None], said: str) -> None:
    prepare(checkout)
    before = names(checkout.root)
    refused = checkout.release()
    assert refused.returncode == 1
    assert said in refused.stderr and "Traceback" not in refused.stderr
    assert names(checkout.root) == before


def test_a_dry_run_writes_nothing(checkout: Checkout) -> None:
    before = names(checkout.root)
    ended = checkout.release("--dry-run")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"ragbase {VERSION} can be released" in ended.stdout
    assert names(checkout.root) == before


@pytest.fixture
def builders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the only programs that are installed: docker has no service, podman builds and notes with what."""
    folder = tmp_path / "bin"
    folder.mkdir()
    podman = f'[ "$1" != image ] || echo 350000000\necho "$@" >> {tmp_path}/called'
    for name, script in {"docker": "exit 1", "podman": podman}.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_the_image_is_built_by_a_builder_that_works(builders: Path, tmp_path: Path) -> None:
    assert f"The image is ragbase:{NUMBER} (podman, 350 MB)" in build_image(tmp_path)
    _, built, _ = (tmp_path / "called").read_text(encoding="ascii").splitlines()
    assert built.startswith(f"build --tag ragbase:{NUMBER} ") and built.endswith(f" {tmp_path}")


def test_what_is_left_out_is_said(builders: Path, tmp_path: Path) -> None:
    (builders / "podman").unlink()
    assert build_image(tmp_path).startswith("The image is left out. No builder of images works here.")


def test_an_image_that_fails_ends_the_release(builders: Path, tmp_path: Path) -> None:
    (builders / "podman").write_text("#!/bin/sh\n[ $1 = info ]\n", encoding="ascii")
    with pytest.raises(NotBuilt):
        build_image(tmp_path)
