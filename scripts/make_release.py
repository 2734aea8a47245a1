"""`release [--output FOLDER] [--no-image | --builder NAME] [--dry-run]`: make the files of the release that this
commit is.

They are the wheel, the sdist, the changes, software bills of materials, SHA256SUMS, and the image if it can be built
here. Two runs on one commit write the same bytes, except for the image: its files have times. It publishes
nothing: it prints the commands that do. CONTRIBUTING.md has the steps before and after."""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ragbase.version import NUMBER
from scripts.container.build import BUILDERS, NotBuilt, build, builder, save
from scripts.local_cloud.missing_server import Missing
from scripts.locked import ROOT, NotInstalled, locked_environment
from scripts.write_sbom import what_runs, write_image_sbom, write_sbom
from tests.write_data_folder import write_data_folder

TAG = f"v{NUMBER}"
RELEASED_FOLDERS = ROOT / "tests" / "data" / "releases"
SUMS = "SHA256SUMS"
CHANGES = "CHANGES.md"
IMAGE = f"ragbase-{NUMBER}-image.tgz"
DATA_FOLDER = "data-folder"
"""For the tests of later versions. It is no file of the release: it has times and identifiers of its own."""


class Refused(Exception):
    """There can be no release. The message says why, and what to do."""


def check(output: Path) -> None:
    """Raises Refused if this commit is no release, if the number is taken, or if there is something in its place. From
    its tag, a release can be made again, to compare the sums."""
    if output.exists():
        raise Refused(f"{output} exists. Remove it, or name another folder with --output.")
    if NUMBER.endswith(".dev0"):
        raise Refused(f"common/ragbase/version.py says {NUMBER}. Remove .dev0 from it in the commit of the release.")
    if changed := _git("status", "--porcelain"):
        raise Refused(f"Files differ from the commit. Commit or remove them:\n{changed}")
    if (tags := _git("tag", "--list", TAG)) and TAG not in _git("tag", "--points-at", "HEAD").splitlines():
        raise Refused(
            f"The tag {tags} is on another commit. Give this release a new number in common/ragbase/version.py."
        )
    if (RELEASED_FOLDERS / NUMBER).exists():
        raise Refused(f"{NUMBER} is released: tests/data/releases has its data folder. Give this one a new number.")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not _has_entries(changes_of(NUMBER, changelog)):
        raise Refused(f"CHANGELOG.md has no entries below `## {NUMBER} – YYYY-MM-DD`. Say there what has changed.")
    if _has_entries(changes_of("Unreleased", changelog)):
        raise Refused(f"CHANGELOG.md has entries below `## Unreleased`. Move them to `## {NUMBER}`.")


def changes_of(version: str, changelog: str) -> str:
    """The section of a version, without its title; empty if there is none."""
    found = re.search(rf"^## {re.escape(version)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def _has_entries(changes: str) -> bool:
    return re.search(r"^- ", changes, re.MULTILINE) is not None


def make_release(output: Path, *, with_image: bool, by: str | None = None) -> None:
    """Write all files into a new folder, with an image of this builder or of the first one. Raises Refused,
    NotInstalled, NotBuilt, and CalledProcessError if a tool fails."""
    with tempfile.TemporaryDirectory(prefix="release-", dir=output.parent) as temporary:
        source, files = Path(temporary, "source"), Path(temporary, "files")
        files.mkdir()
        _export(source)
        _build_packages(source, files)
        changes = changes_of(NUMBER, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
        (files / CHANGES).write_text(f"# ragbase {NUMBER}\n\n{changes}\n", encoding="utf-8")
        (files / "sbom").mkdir()
        for lock in what_runs():
            write_sbom(lock, files / "sbom")
        print(build_image(source, files, by) if with_image else "The image is left out, as --no-image says.")
        _write_sums(files)
        write_data_folder(files / DATA_FOLDER)
        files.rename(output)


def _export(source: Path) -> None:
    """The commit and nothing else: no file that git ignores, and no mode of this machine."""
    archive = source.with_suffix(".tar")
    _git("archive", "--output", str(archive), "HEAD")
    shutil.unpack_archive(archive, source, filter="data")


def _build_packages(source: Path, files: Path) -> None:
    """The wheel comes from the sdist, which therefore has all that a build needs."""
    hatchling = locked_environment("hatchling", "release") / "hatchling"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": _git("show", "--no-patch", "--format=%ct", "HEAD")}
    _run([hatchling, "build", "--target", "sdist", "--directory", files], source, environment)
    (sdist,) = files.glob("*.tar.gz")
    unpacked = source.with_name("sdist")
    shutil.unpack_archive(sdist, unpacked, filter="data")
    (folder,) = unpacked.iterdir()
    _run([hatchling, "build", "--target", "wheel", "--directory", files], folder, environment)


def _run(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)


def _write_sums(files: Path) -> None:
    """In the form that `sha256sum --check` reads."""
    lines = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(files).as_posix()}\n"
        for file in sorted(files.rglob("*"))
        if file.is_file()
    ]
    (files / SUMS).write_text("".join(lines), encoding="utf-8")


def build_image(source: Path, files: Path, by: str | None = None) -> str:
    """Build the image, and write its archive and its bill of materials, if a builder works here. Says what became of
    it. Raises NotBuilt, NotInstalled, and CalledProcessError if the bill cannot be made."""
    try:
        by = by or builder()
    except Missing as error:
        return f"The image is left out. {error}"
    image = build(f"localhost/ragbase:{NUMBER}", by, source=source)
    archive = files / IMAGE
    save(image.tag, by, archive)
    write_image_sbom(archive, NUMBER, files / "sbom")
    size = f"{image.size / 1e6:.0f} MB"
    return f"The image is {image.tag} ({by}, {size}), also in {archive.name}. Tag it with your registry to push it."


def publishing(output: Path) -> str:
    """The commands that publish the release. Only the person who makes it runs them."""
    place = shlex.quote(os.path.relpath(output, ROOT))
    return (
        f"git tag --annotate {TAG} --message 'ragbase {NUMBER}' && git push origin {TAG}\n"
        f"python -m twine upload {place}/*.tar.gz {place}/*.whl\n"
        f"cp -R {place}/{DATA_FOLDER} tests/data/releases/{NUMBER}  # commit it with the next number"
    )


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=ROOT / "build" / "release" / NUMBER, metavar="FOLDER", help="it must be new"
    )
    image = parser.add_mutually_exclusive_group()
    image.add_argument("--no-image", action="store_true", help="leave the image out: it takes a registry for its base")
    image.add_argument("--builder", choices=BUILDERS, help="what builds the image (the first of these that works)")
    parser.add_argument("--dry-run", action="store_true", help="only check whether there can be a release")
    options = parser.parse_args()
    output: Path = options.output.absolute()
    try:
        check(output)
        if options.dry_run:
            print(f"ragbase {NUMBER} can be released. It would be in {output}.")
            return 0
        output.parent.mkdir(parents=True, exist_ok=True)
        make_release(output, with_image=not options.no_image, by=options.builder)
    except (Refused, NotInstalled, NotBuilt) as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        said = (error.stderr or "").strip()
        print(f"{shlex.join(map(str, error.cmd))} ended with {error.returncode}. {said}", file=sys.stderr)
        return 1
    print(f"ragbase {NUMBER} is in {output}. To publish it:\n\n{publishing(output)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
