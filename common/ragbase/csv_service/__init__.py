"""A knowledge base from one CSV file (docs/contracts/csv-service.md).

from ragbase.csv_service import CsvKnowledgeBase, RagProperties

with CsvKnowledgeBase(RagProperties.load("application.yml")) as knowledge:
    print(knowledge.search_knowledge("How do I request leave?"))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragbase.csv_service.csv_document import CsvDocument
    from ragbase.csv_service.csv_document_loader import CsvDocumentLoader
    from ragbase.csv_service.csv_knowledge_base import CsvKnowledgeBase
    from ragbase.csv_service.properties import CsvProperties, RagProperties, VectorStoreProperties
    from ragbase.csv_service.rag_service import RagService
    from ragbase.csv_service.row_store import RowStore
    from ragbase.csv_service.vector_store_initializer import VectorStoreInitializer

__all__ = [
    "CsvDocument",
    "CsvDocumentLoader",
    "CsvKnowledgeBase",
    "CsvProperties",
    "RagProperties",
    "RagService",
    "RowStore",
    "VectorStoreInitializer",
    "VectorStoreProperties",
]

_HOMES = {
    "CsvDocument": "csv_document",
    "CsvDocumentLoader": "csv_document_loader",
    "CsvKnowledgeBase": "csv_knowledge_base",
    "CsvProperties": "properties",
    "RagProperties": "properties",
    "RagService": "rag_service",
    "RowStore": "row_store",
    "VectorStoreInitializer": "vector_store_initializer",
    "VectorStoreProperties": "properties",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ragbase.extras import naming_extras

    with naming_extras():
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
