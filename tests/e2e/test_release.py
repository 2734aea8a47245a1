"""./scripts/release, in a copy of this checkout that is a release: what it makes, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from ragbase.version import NUMBER
from scripts.container.base import lay_out_base
from scripts.container.build import NotBuilt
from scripts.container.place import engine_environment
from scripts.local_cloud.process import exclusive
from scripts.make_release import build_image
from scripts.write_sbom import what_runs
from tests.e2e.test_installed import CACHE, OURS, locked_packages
from tests.models import model_folder
from tests.page_blocks import block_of

pytestmark = [pytest.mark.slow, pytest.mark.prove]

ROOT = Path(__file__).resolve().parents[2]
VERSION = "7.1.0"
IMAGE = f"ragbase-{VERSION}-image.tgz"
TAG = f"localhost/ragbase:{VERSION}"
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
    assert {name.partition("/")[0] for name in names(files) - data_folder} | {IMAGE} == {
        name.rstrip("/") for name in said
    }
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
    model = {"RAGBASE_MODEL_FOLDER": str(model_folder("minilm"))}
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
    write_archive(tmp_path / "archive")
    podman = f"""[ "$1" != image ] || echo 350000000
[ "$1" != save ] || /bin/cp {tmp_path}/archive "$6"
echo "$@" >> {tmp_path}/called"""
    for name, script in {"docker": "exit 1", "podman": podman}.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="ascii")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def write_archive(file: Path) -> None:
    """Of an image with one package of Debian and one of Python. A second layer updates the one, and removes another."""
    status = "Package: tini\nStatus: install ok installed\nArchitecture: amd64\nVersion: {}\n\n"
    gone = "Package: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n"
    packages = "opt/ragbase/lib/python3.13/site-packages"
    layers = [
        {
            "var/lib/dpkg/status": status.format("0.18-1"),
            f"{packages}/kept-1.0.dist-info/METADATA": "Name: kept\nVersion: 1.0\n\nName: text",
            f"{packages}/left-1.0.dist-info/METADATA": "Name: left\nVersion: 1.0\n",
        },
        {"var/lib/dpkg/status": status.format("0.19-1") + gone, f"{packages}/.wh.left-1.0.dist-info": ""},
    ]
    written = {f"{number}.tar": tar_of(layer) for number, layer in enumerate(layers)}
    file.write_bytes(tar_of({"manifest.json": json.dumps([{"Layers": [*written]}]), **written}))


def tar_of(files: Mapping[str, str | bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, text in files.items():
            content = text.encode() if isinstance(text, str) else text
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return written.getvalue()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "files" / "sbom").mkdir(parents=True)
    return tmp_path / "files"


def test_the_image_is_built_by_a_builder_that_works(builders: Path, place: Path, tmp_path: Path) -> None:
    assert f"The image is localhost/ragbase:{NUMBER} (podman, 350 MB)" in build_image(tmp_path, place)
    _, built, _, _ = (tmp_path / "called").read_text(encoding="ascii").splitlines()
    assert built.startswith(f"build --tag localhost/ragbase:{NUMBER} ") and built.endswith(f" {tmp_path}")


def test_the_bill_of_the_image_has_the_packages_of_its_last_layer(builders: Path, place: Path, tmp_path: Path) -> None:
    build_image(tmp_path, place)
    assert components(place) == {"pkg:deb/debian/tini@0.19-1?arch=amd64&distro=debian-13", "pkg:pypi/kept@1.0"}


def test_what_is_left_out_is_said(builders: Path, place: Path, tmp_path: Path) -> None:
    (builders / "podman").unlink()
    assert build_image(tmp_path, place).startswith("The image is left out. No builder of images works here.")


def test_an_image_that_fails_ends_the_release(builders: Path, place: Path, tmp_path: Path) -> None:
    (builders / "podman").write_text("#!/bin/sh\n[ $1 = info ]\n", encoding="ascii")
    with pytest.raises(NotBuilt):
        build_image(tmp_path, place)


def components(files: Path) -> set[str]:
    """The addresses of the packages in the bill of the image (https://github.com/package-url/purl-spec)."""
    bill = json.loads((files / "sbom" / "container.cdx.json").read_text(encoding="utf-8"))
    return {one["purl"] for one in bill["components"]}


@pytest.fixture(scope="module")
def image_files(original: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The files of the release with its image. The builder's store has the image only from the file."""
    lay_out_base()
    folder = tmp_path_factory.mktemp("with-image") / "release"
    made = original.release("--output", folder, "--builder", "buildah")
    assert (made.returncode, made.stderr) == (0, "")
    subprocess.run(["podman", "rmi", TAG], check=True, capture_output=True)
    (load,) = re.findall(r"`(gunzip [^`]*)`", STABILITY)
    command = load.replace("\\|", "|").replace("0.2.0", VERSION).replace("docker", "podman")
    loaded = subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True, text=True)
    assert TAG in loaded.stdout
    yield folder
    subprocess.run(["podman", "rmi", TAG], check=True, capture_output=True)
    shutil.rmtree(folder)  # it is large


def in_the_image(folder: Path, program: str, *arguments: str) -> str:
    run = ["podman", "run", "--rm", "--network", "none", "--entrypoint", program, TAG, *arguments]
    return subprocess.run(run, env=engine_environment(folder), check=True, capture_output=True, text=True).stdout


def test_the_image_of_a_release_has_the_version_of_the_wheel_beside_it(image_files: Path, tmp_path: Path) -> None:
    (wheel,) = image_files.glob("*.whl")
    assert in_the_image(tmp_path, "ragbase", "--version") == f"ragbase {wheel.name.split('-')[1]}\n"


def test_the_image_of_a_release_has_a_checksum(image_files: Path) -> None:
    check = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    checked = subprocess.run(check, cwd=image_files, check=True, capture_output=True, text=True).stdout.splitlines()
    assert {f"{IMAGE}: OK", "sbom/container.cdx.json: OK"} <= set(checked)


def test_the_bill_of_the_image_has_all_that_is_installed_in_it(image_files: Path, tmp_path: Path) -> None:
    query = ["--show", "--showformat", "pkg:deb/debian/${Package}@${Version}?arch=${Architecture}&distro=debian-13\\n"]
    debian = in_the_image(tmp_path, "dpkg-query", *query).splitlines()
    find = "import importlib.metadata as m; [print(f'pkg:pypi/{one.name}@{one.version}') for one in m.distributions()]"
    python = in_the_image(tmp_path, "python", "-c", find).splitlines()
    assert len(debian) > 50 and len(python) > 50
    installed = {_purl(one) for one in (*debian, *python)}
    assert components(image_files) == installed


def _purl(address: str) -> str:
    """As the specification spells it: names of PyPI are lower case with dashes, and some letters are escaped."""
    kind, _, rest = address.removeprefix("pkg:").partition("/")
    name, _, others = rest.partition("@")
    version, mark, qualifiers = others.partition("?")
    if kind == "pypi":
        name = re.sub(r"[-_.]+", "-", name).lower()
    return f"pkg:{kind}/{quote(name, '/')}@{quote(version, '')}{mark}{qualifiers}".replace("%3A", ":")
