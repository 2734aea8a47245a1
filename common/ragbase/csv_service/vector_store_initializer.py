"""Fills the vector store when the program starts."""

from __future__ import annotations

from ragbase import telemetry
from ragbase.csv_service.csv_document_loader import CsvDocumentLoader
from ragbase.csv_service.row_store import RowStore


class VectorStoreInitializer:
    """Override `should_reindex` to decide when the CSV file is read again."""

    def __init__(self, loader: CsvDocumentLoader, store: RowStore) -> None:
        self._loader = loader
        self._store = store

    def initialize(self) -> None:
        """Put the rows of the CSV file into the vector store, if `should_reindex` says so. It may be called at any
        time, and by several processes at once: one of them works, and the others wait for it.

        Raises Unavailable if the vector store or the embedder does not answer, and as
        `CsvDocumentLoader.reload_documents`.
        """
        self._store.connect()
        with self._store.alone():
            if self.should_reindex():
                self._loader.reload_documents()
            else:
                source = self._loader.properties.path
                telemetry.log("csv.unchanged", f"{source} has not changed.", source=source)
                self._store.tidy()

    def is_initialized(self) -> bool:
        """Whether search has any rows to show."""
        version = self._store.version
        return version is not None and version.rows > 0

    def clear(self) -> None:
        """Remove all rows from the vector store. Searches find nothing from the first moment on."""
        self._store.clear()

    def should_reindex(self) -> bool:
        """By default: unless the store holds exactly this file, read and embedded with the settings of now."""
        version = self._store.version
        return (
            version is None
            or version.fingerprint != self._loader.fingerprint()
            or version.made_with != self._store.made_with
        )
