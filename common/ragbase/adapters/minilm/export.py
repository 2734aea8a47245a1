"""Make the model that minilm/embedder.py runs: `python -m ragbase.adapters.minilm.export` prints its file's path.

The official weights of all-MiniLM-L6-v2 are written as an ONNX graph of 8-bit matrix products. The sha256 of the
weights and of the result are checked, so that a wrong model is never used.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

from ragbase import telemetry
from ragbase.adapters.minilm.graph import onnx_model
from ragbase.adapters.minilm.model import FILES, FOLDER, GRAPH, MODEL, TOKENIZER, is_prepared, read
from ragbase.adapters.minilm.weights import WEIGHTS, download
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError


def prepare(models: Path) -> Path:
    """Make the model in its folder below `models`, unless it is there, and return that folder.

    Needs the extra `minilm-export`. Raises ConfigurationError if the folder cannot be written, or the weights cannot be
    downloaded.
    """
    folder = models / FOLDER
    if is_prepared(folder):
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):  # find out before the download whether it can be kept
            pass
        made = _make()
        for name, data in made.items():
            _write(folder / name, data)
    except OSError as error:
        raise ConfigurationError(
            f"The embedding model cannot be kept in {folder}: {error.strerror}. Name a folder that you may write to, "
            "with 100 MB of space, with the setting model_folder (RAGBASE_MODEL_FOLDER)."
        ) from error
    telemetry.log("model.prepared", model=MODEL, folder=str(models))
    return folder


def _make() -> dict[str, bytes]:
    try:
        import onnx  # noqa: F401 - find out before the download whether it is there
        import safetensors  # noqa: F401
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The embedding model is not on this machine yet, and preparing it needs {error.name}. Install it with: "
            "pip install 'ragbase[minilm-export]'"
        ) from error
    official = download()
    made = {TOKENIZER: official[TOKENIZER], GRAPH: onnx_model(official[WEIGHTS])}
    for name, data in made.items():
        found = hashlib.sha256(data).hexdigest()
        if found != FILES[name]:
            raise ConfigurationError(
                f"The embedding model's {name} was made with sha256 {found[:12]}…, but {FILES[name][:12]}… is right. "
                "Install the versions of onnx, numpy and safetensors that requirements/local.txt of ragbase's source "
                "names, and run the command again."
            )
    return made


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
        read(folder)
    except ConfigurationError as error:
        sys.exit(f"Error: {error}")
    sys.stdout.write(f"{folder / GRAPH}\n")


if __name__ == "__main__":
    main()
