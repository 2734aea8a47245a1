"""What a prepared model is: its name, its files with their checksums, and where they are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragbase.domain.errors import ConfigurationError

GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedModel:
    """A model's files, and how they are made."""

    what: str
    """What messages call it."""
    name: str
    """Tells its results apart from those of others."""
    folder: str
    """The name of the folder that holds its files."""
    files: Mapping[str, str]
    """With their sha256."""
    make: Callable[[], dict[str, bytes]]
    """Its files by name, from what somebody publishes. Raises ConfigurationError if they cannot be had."""
    needs: tuple[str, ...]
    """The modules that `make` needs. The extra `minilm-export` installs them."""
    megabytes: int
    """Its files', rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel(PreparedModel):
    """An embedding model of GRAPH and TOKENIZER. All that decides a text's vector is here or in its files. An index
    keeps its name: vectors of one name may stand in one index."""

    what: str = "embedding model"
    dimension: int
    max_tokens: int
    """That one run of the model reads, with what marks the beginning and the end of a text."""
    most_runs: int = 1
    """For one text. Text that is too long for them has no effect on the vector."""
    query_prefix: str = ""
    passage_prefix: str = ""
    """Words that the model wants in front of every question or passage."""


def is_prepared(model: PreparedModel, folder: Path) -> bool:
    """Whether every file is there; `checked_files` checks their contents.

    Raises ConfigurationError for a folder that cannot be searched.
    """
    try:
        return all((folder / name).is_file() for name in model.files)
    except OSError as error:
        raise _unusable(model, folder, error) from error


def checked_files(model: PreparedModel, folder: Path) -> dict[str, Path]:
    """The files by name. Raises ConfigurationError if one cannot be read or has another checksum."""
    files = {name: folder / name for name in model.files}
    for name, path in files.items():
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise _unusable(model, path, error) from error
        if found != model.files[name]:
            raise ConfigurationError(
                f"The {model.what}'s file {path} is damaged: it is not the one that was prepared. Delete it and run "
                "the command again, which prepares it again."
            )
    return files


def _unusable(model: PreparedModel, path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"The {model.what}'s file {path} cannot be read: {error.strerror}. Correct that, or name another folder for "
        "models with the setting model_folder (RAGBASE_MODEL_FOLDER)."
    )
