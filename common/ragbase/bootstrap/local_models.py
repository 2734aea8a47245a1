"""The models that run on this machine's processor. `python -m ragbase.bootstrap.local_models minilm e5` prepares those
that it names and prints the paths of their files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from ragbase.adapters.local_model.embedder import LocalEmbedder
    from ragbase.ports import Reranker

LOCAL_MODELS = {"minilm": "all-MiniLM-L6-v2-int8-", "e5": "multilingual-e5-small-int8-"}
"""What the setting `embedder` calls them, and how the names of their models begin."""


def local_embedder(name: str, models: Path) -> LocalEmbedder:
    """The one of this name, with its model in the folder `models`."""
    if name == "e5":
        from ragbase.adapters.e5.embedder import e5

        return e5(models)
    from ragbase.adapters.minilm.embedder import minilm

    return minilm(models)


def local_reranker(folder: str, models: Path, *, timeout: float) -> Reranker:
    """The cross-encoder in the folder, loaded; without one Ettin, which is prepared in the folder `models` first.

    Raises ConfigurationError if there is none that can be run, and MissingExtra.
    """
    from ragbase.adapters.local_model.cross_encoder import CrossEncoder
    from ragbase.adapters.local_model.cross_encoder_files import files_in
    from ragbase.adapters.local_model.reranker import LocalReranker

    if folder:
        named = Path(folder).expanduser()
        return LocalReranker(named.resolve().name, CrossEncoder(files_in(named)), timeout=timeout)
    from ragbase.adapters.ettin.model import ETTIN
    from ragbase.adapters.local_model.model import checked_files
    from ragbase.adapters.local_model.prepare import prepare

    return LocalReranker(ETTIN.name, CrossEncoder(checked_files(ETTIN, prepare(ETTIN, models))), timeout=timeout)


def main(names: Sequence[str]) -> None:
    models = load_config().model_folder
    try:
        for name in names:
            for path in local_embedder(name, models).files().values():
                sys.stdout.write(f"{path}\n")
    except ConfigurationError as error:
        sys.exit(f"Error: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
