"""ragbase answers questions from the documents in a bucket.

from ragbase import RAGEngine, load_config

with RAGEngine(load_config(home="my-index")) as engine:
    engine.ingest(["handbook.md"])
    for result in engine.query("How do I request leave?"):
        print(result.similarity_score, result.chunk.content)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragbase.client.client import Client
    from ragbase.client.conversation import Conversation
    from ragbase.client.filter import Filter
    from ragbase.config import load_config
    from ragbase.domain.answer import GeneratedAnswer
    from ragbase.domain.condition import Condition
    from ragbase.domain.conversation import Role, Turn
    from ragbase.engine.engine import RAGEngine, hash_file_path
    from ragbase.retrieval.retriever import RetrievalResult, Retriever

    __version__: str

__all__ = [
    "Client",
    "Condition",
    "Conversation",
    "Filter",
    "GeneratedAnswer",
    "RAGEngine",
    "RetrievalResult",
    "Retriever",
    "Role",
    "Turn",
    "__version__",
    "hash_file_path",
    "load_config",
]

_HOMES = {
    "Client": "ragbase.client.client",
    "Condition": "ragbase.domain.condition",
    "Conversation": "ragbase.client.conversation",
    "Filter": "ragbase.client.filter",
    "GeneratedAnswer": "ragbase.domain.answer",
    "RAGEngine": "ragbase.engine.engine",
    "RetrievalResult": "ragbase.retrieval.retriever",
    "Retriever": "ragbase.retrieval.retriever",
    "Role": "ragbase.domain.conversation",
    "Turn": "ragbase.domain.conversation",
    "hash_file_path": "ragbase.engine.engine",
    "load_config": "ragbase.config",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that a function that starts imports nothing else. The version is
    found out when it is asked for: a checkout asks git."""
    if name == "__version__":
        from ragbase.version import current_version

        return globals().setdefault(name, current_version())
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ragbase.extras import naming_extras

    with naming_extras():
        return getattr(importlib.import_module(_HOMES[name]), name)
