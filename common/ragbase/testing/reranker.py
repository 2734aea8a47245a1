"""A reranker in memory, for tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.domain.errors import RagbaseError
from ragbase.domain.limits import MAX_RERANKED
from ragbase.ports import Reranked


class MemoryReranker:
    """Implements the Reranker port by the share of the question's words that a text has. It counts its calls, and
    raises `error` if there is one."""

    model = "memory"

    def __init__(self, error: RagbaseError | None = None) -> None:
        self.error = error
        self.asked: list[Sequence[str]] = []

    def rerank(self, question: str, texts: Sequence[str]) -> Reranked:
        if len(texts) > MAX_RERANKED:
            raise ValueError(f"One call takes at most {MAX_RERANKED} texts, not {len(texts)}.")
        self.asked.append(texts)
        if self.error is not None:
            raise self.error
        words = _words(question)
        return Reranked([len(words & _words(text)) / max(len(words), 1) for text in texts], 1.0 if texts else 0.0)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
