"""Open the row store in the profile that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ragbase.bootstrap.open_profile import open_profile
from ragbase.csv_service.row_store import RowStore
from ragbase.settings import Config


@contextmanager
def open_row_store(config: Config) -> Iterator[RowStore]:
    """The row store, until the context ends. It has a data folder of its own, `csv` in that of the settings, or an
    index of its own in the cloud's vector store. So the documents of a bucket and the rows of a CSV file are apart."""
    if config.profile == "embedded":
        with suppress(OSError):  # to open the profile will say why
            config.home.mkdir(0o700, parents=True, exist_ok=True)  # private, as the folder in it
    profile = open_profile(
        config.model_copy(
            update={
                "home": config.home / "csv",
                "weaviate_alias": f"{config.weaviate_alias}Csv",
                "qdrant_collection": f"{config.qdrant_collection}-csv",
            }
        )
    )
    profile.fills_index = True
    try:
        yield RowStore(
            checkpoints=profile.checkpoints,
            indexes=profile.indexes,
            embedder=profile.embedder,
            embedder_for=profile.embedder_for,
            chunker=profile.chunker,
            language=config.language,
            clock=profile.clock,
            owner=profile.worker_name,
        )
    finally:
        profile.close()
