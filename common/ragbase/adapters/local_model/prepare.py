"""Make a model's files on this machine, once: from published weights to a graph that this folder's adapters run.

The sha256 of the weights and of the result are checked, so that a wrong model is never used.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from pathlib import Path

from ragbase import telemetry
from ragbase.adapters.local_model.model import PreparedModel, is_prepared
from ragbase.domain.errors import ConfigurationError
from ragbase.extras import install_command


def prepare(model: PreparedModel, models: Path) -> Path:
    """Make the model in its folder below `models`, unless it is there, and return that folder.

    Needs the extra `minilm-export`. Raises ConfigurationError if the folder cannot be written, or the weights cannot be
    downloaded.
    """
    folder = models / model.folder
    if is_prepared(model, folder):
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):  # find out before the download whether it can be kept
            pass
        for name, data in _made(model).items():
            (folder / name).parent.mkdir(exist_ok=True)
            _write(folder / name, data)
    except OSError as error:
        raise ConfigurationError(
            f"The {model.what} cannot be kept in {folder}: {error.strerror}. Name a folder that you may write to, "
            f"with {model.megabytes} MB of space, with the setting model_folder (RAGBASE_MODEL_FOLDER)."
        ) from error
    telemetry.log("model.prepared", model=model.name, folder=str(models))
    return folder


def _made(model: PreparedModel) -> dict[str, bytes]:
    try:
        for module in model.needs:  # find out before the download whether they are there
            importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The {model.what} is not on this machine yet, and preparing it needs {error.name}. Install it with: "
            f"{install_command('minilm-export')}"
        ) from error
    made = model.make()
    for name, data in made.items():
        found, right = hashlib.sha256(data).hexdigest(), model.files[name]
        if found != right:
            raise ConfigurationError(
                f"The {model.what}'s {name} was made with sha256 {found[:12]}…, but {right[:12]}… is right. "
                f"Install the versions of numpy, {' and '.join(model.needs)} that requirements/local.txt of ragbase's "
                "source names, and run the command again."
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
