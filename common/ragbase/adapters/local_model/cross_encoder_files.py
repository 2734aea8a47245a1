"""The files of a cross-encoder in a folder that a user names. They are checked before anything reads them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ragbase.adapters.local_model.scoring_head import DENSE, NORM, SCORE
from ragbase.domain.errors import ConfigurationError

GRAPH = "onnx/model.onnx"
"""Where model hubs have it. It may also stand in the folder itself."""
TOKENIZER = "tokenizer.json"
CHECKSUMS = "SHA256SUMS"
"""What `sha256sum` writes. Without it, the files are taken as they are."""

_MOST_BYTES = {GRAPH: 1_000_000_000, TOKENIZER: 100_000_000}
"""The graph of Ettin 150M has 600 MB. A larger model takes far longer than somebody waits."""
_MOST_BYTES_OF_HEAD = 100_000_000
_CHECKSUM = re.compile(r"(?P<sha256>[0-9a-f]{64}) [ *](?:\./)?(?P<name>.+)")


def files_in(folder: Path) -> dict[str, Path]:
    """The graph, the tokenizer, and those of a head that are there, by name.

    Raises ConfigurationError if the graph or the tokenizer is missing, a file cannot be read or is too large, or it is
    another one than the folder's checksums say.
    """
    try:
        files = _found(folder)
        for name, path in files.items():
            _check_size(name, path)
        _check_sums(folder)
    except OSError as error:
        raise ConfigurationError(
            f"The folder of the model that reranks, {folder}, cannot be read: {error.strerror}. Correct that, or name "
            "another one with the setting reranker_folder (RAGBASE_RERANKER_FOLDER)."
        ) from error
    return files


def _found(folder: Path) -> dict[str, Path]:
    graph = next((path for path in (folder / GRAPH, folder / Path(GRAPH).name) if path.is_file()), folder / GRAPH)
    files = {GRAPH: graph, TOKENIZER: folder / TOKENIZER}
    for path in files.values():
        if not path.is_file():
            raise ConfigurationError(
                f"{folder} has no cross-encoder: there is no file {path.relative_to(folder)}. Put the model's "
                f"{GRAPH} and {TOKENIZER} there, or name another folder with the setting reranker_folder "
                "(RAGBASE_RERANKER_FOLDER)."
            )
    return files | {name: folder / name for name in (DENSE, NORM, SCORE) if (folder / name).is_file()}


def _check_size(name: str, path: Path) -> None:
    most, size = _MOST_BYTES.get(name, _MOST_BYTES_OF_HEAD), path.stat().st_size
    if size > most:
        raise ConfigurationError(
            f"{path} has {size // 1_000_000:,} MB, and a file of this kind may have {most // 1_000_000:,}. Take a "
            "smaller cross-encoder."
        )


def _check_sums(folder: Path) -> None:
    sums = folder / CHECKSUMS
    if not sums.is_file():
        return
    for line in sums.read_text(encoding="utf-8", errors="replace").splitlines():
        if (entry := _CHECKSUM.fullmatch(line)) is None:
            raise ConfigurationError(
                f"{sums} has a line that is no checksum: {line[:80]!r}. Make the file with `sha256sum`, or delete it."
            )
        with (folder / entry["name"]).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != entry["sha256"]:
            raise ConfigurationError(
                f"{folder / entry['name']} has sha256 {found[:12]}…, but {sums} says {entry['sha256'][:12]}…. Get the "
                "file again, or make the checksums again if you trust it."
            )
