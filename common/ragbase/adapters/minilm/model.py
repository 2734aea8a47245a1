"""What the prepared model is: its name, its files with their checksums, and how they are read."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ragbase.domain.errors import ConfigurationError

DIMENSION = 384
MAX_TOKENS = 256
"""As the model was trained and published. Text after them has no effect on the vector."""

GRAPH = "model.onnx"
TOKENIZER = "tokenizer.json"
FILES = {
    GRAPH: "4228daac7762a922293649b9ca460bc51c6bbd32078705a5d04cca739014c985",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The files of the prepared model and their sha256."""

MODEL = "all-MiniLM-L6-v2-int8-39372414"
"""Its name, which an index keeps. It is that of the vectors, and older than the file: the first file made the same
8-bit products and rounded elsewhere. Measured (docs/performance.md): vectors of both may stand in one index."""

FOLDER = f"all-MiniLM-L6-v2-int8-{FILES[GRAPH][:8]}"
"""The name of the folder that holds its files."""


def is_prepared(folder: Path) -> bool:
    """Whether every file is there; `read` checks their contents. Raises ConfigurationError for a folder that cannot be
    searched."""
    try:
        return all((folder / name).is_file() for name in FILES)
    except OSError as error:
        raise _unusable(folder, error) from error


def read(folder: Path) -> dict[str, bytes]:
    """The files by name. Raises ConfigurationError if one cannot be read or has another checksum."""
    contents = {}
    for name, sha256 in FILES.items():
        file = folder / name
        try:
            data = file.read_bytes()
        except OSError as error:
            raise _unusable(file, error) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ConfigurationError(
                f"The embedding model's file {file} is damaged: it is not the one that was prepared. Delete it and run "
                "the command again, which prepares it again."
            )
        contents[name] = data
    return contents


def _unusable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"The embedding model's file {path} cannot be read: {error.strerror}. Correct that, or name another folder for "
        "models with the setting model_folder (RAGBASE_MODEL_FOLDER)."
    )
