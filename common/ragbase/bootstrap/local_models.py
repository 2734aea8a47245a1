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

LOCAL_MODELS = {"minilm": "all-MiniLM-L6-v2-int8-", "e5": "multilingual-e5-small-int8-"}
"""What the setting `embedder` calls them, and how the names of their models begin."""


def local_embedder(name: str, models: Path) -> LocalEmbedder:
    """The one of this name, with its model in the folder `models`."""
    if name == "e5":
        from ragbase.adapters.e5.embedder import e5

        return e5(models)
    from ragbase.adapters.minilm.embedder import minilm

    return minilm(models)


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
