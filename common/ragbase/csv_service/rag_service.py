"""Finds rows for a question and makes the context of a prompt from them."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.csv_service.csv_document import CsvDocument, FoundRows
from ragbase.csv_service.properties import VectorStoreProperties
from ragbase.csv_service.row_store import RowStore


class RagService:
    """Override `format_context` to say what a prompt shows of the rows."""

    def __init__(self, store: RowStore, properties: VectorStoreProperties | None = None) -> None:
        self._store = store
        self._properties = properties or VectorStoreProperties()

    def search(self, query: str, top_k: int | None = None) -> FoundRows:
        """The rows that have to do with the query, best first, each with its `similarity_score`, which reaches the
        threshold of the settings. At most `top_k`, by default that of the settings. A blank query finds nothing. If no
        row does, `nearest` of the list has those that were nearest.

        Raises ValueError for a `top_k` below 1, and Unavailable if the vector store or the embedder does not answer.
        """
        wanted = self._properties.top_k if top_k is None else top_k
        if wanted < 1:
            raise ValueError(f"top_k is {wanted}, but must be at least 1. Leave it out for the default.")
        query = query.strip()
        if not query:
            return FoundRows()
        return self._store.search(query, top_k=wanted, threshold=self._properties.similarity_threshold)

    def get_context(self, query: str) -> str:
        """The rows that `search` finds, as text for a prompt; an empty text if it finds none."""
        return self.format_context(self.search(query))

    def format_context(self, documents: Sequence[CsvDocument]) -> str:
        """By default: the content of each row below a line with its source and number, with a blank line between
        rows. No documents give an empty text."""
        return "\n\n".join(
            f"[{document.metadata['source']}, row {document.metadata['row']}]\n{document.content}"
            for document in documents
        )
