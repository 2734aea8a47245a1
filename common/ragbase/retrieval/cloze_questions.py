"""Questions that an index asks itself: a sentence of a passage, whose answer is the passage without it.

They need no labels, and are in the language and on the subjects of the documents. They stand in for questions when the
weights of the order are fitted (fit_order.py). The idea is that of the inverse cloze task (Lee et al. 2019,
aclanthology.org/P19-1612), which trains a retriever with such pairs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.chunk import embedding_text

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, EmbeddedChunk

_SHORTEST, _LONGEST = 30, 250
"""Characters of a sentence. A shorter one says little, and a longer one is seldom like a question."""
_LEAST_SENTENCES = 3
_LEAST_REST = 100
"""Characters of the passage without the sentence."""


@dataclass(frozen=True, slots=True)
class ClozeQuestion:
    """A sentence, the chunk that it is of, and that chunk without it."""

    text: str
    source: EmbeddedChunk
    answer: Chunk

    @property
    def answer_text(self) -> str:
        """What is embedded and indexed of the answer."""
        return embedding_text(self.answer)

    def gives_away(self, chunk: Chunk) -> bool:
        """Whether a chunk has the sentence itself: it is neither a right answer nor a wrong one."""
        return chunk.id == self.source.chunk.id or self.text in chunk.text


def cloze_questions(chunks: Sequence[EmbeddedChunk], most: int) -> list[ClozeQuestion]:
    """At most so many, one for a chunk that has sentences, and always the same of the same chunks."""
    return list(_questions(chunks))[:most]


def _questions(chunks: Sequence[EmbeddedChunk]) -> Iterator[ClozeQuestion]:
    for one in chunks:
        text = one.chunk.text
        spans = sentence_spans(text)
        if len(spans) < _LEAST_SENTENCES:
            continue
        fit = [span for span in spans if _is_fit(text[slice(*span)])]
        if not fit:
            continue
        start, end = fit[_any_number(one.chunk.id) % len(fit)]
        rest = f"{text[:start]}{text[end:]}"
        if len(rest.strip()) >= _LEAST_REST:
            yield ClozeQuestion(text[start:end], one, replace(one.chunk, text=rest))


def _is_fit(sentence: str) -> bool:
    """Prose on one line: no heading, item, row or code."""
    return _SHORTEST <= len(sentence) <= _LONGEST and "\n" not in sentence and sentence[0].isalnum()


def _any_number(id: str) -> int:
    return int(hashlib.sha256(id.encode()).hexdigest()[:8], 16)
