"""What a reindex would cost, without doing any of it."""

from __future__ import annotations

from dataclasses import dataclass

from ragbase.domain.chunk import embedding_text
from ragbase.domain.document import Document, IndexedGeneration
from ragbase.domain.errors import GenerationGone, PermanentError
from ragbase.domain.identity import text_hash
from ragbase.domain.index import Index
from ragbase.upkeep.reindex.plan import ReindexPlan
from ragbase.upkeep.reindex.rebuild_document import Rebuilder

CHARACTERS_A_TOKEN = 4
"""The average of English text, in the tokenizers of Cohere and OpenAI alike. Other languages have fewer: the result is
an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """`index` is the index that would be built; None if there is nothing to do.

    `chunks` chunks would be made. Of their texts, `texts` with `characters` characters would be embedded; the
    embeddings of `kept` texts exist already. The current settings cannot make `refused` documents, and the lanes are
    working on `waiting`.
    """

    index: Index | None
    documents: int = 0
    chunks: int = 0
    texts: int = 0
    kept: int = 0
    characters: int = 0
    refused: int = 0
    waiting: int = 0

    @property
    def tokens(self) -> int:
        return self.characters // CHARACTERS_A_TOKEN


def estimate(plan: ReindexPlan) -> Estimate:
    """Read, extract and chunk every document that a reindex would make; embed nothing, write nothing."""
    current = plan.ports.indexes.current()
    if current is None or not plan.is_due(current):
        return Estimate(index=None)
    target = plan.target(current)
    exists = target in plan.ports.indexes.all()  # records may name one that was dropped half built
    rebuilder = plan.rebuilder(target, current)
    documents = chunks = texts = kept = characters = refused = waiting = 0
    for page in plan.records():
        for record in page:
            if record.active is None or (exists and record.indexed_in(target.name) is not None):
                continue
            try:
                passages = rebuilder.passages(record, record.active)
            except GenerationGone:
                waiting += 1
                continue
            except PermanentError:
                refused += 1
                continue
            by_hash = {text_hash(text): text for text in map(embedding_text, passages)}
            paid = _paid(rebuilder, record, record.active, by_hash)
            documents += 1
            chunks += len(passages)
            texts += len(paid)
            kept += len(by_hash) - len(paid)
            characters += sum(map(len, paid.values()))
    return Estimate(
        index=target,
        documents=documents,
        chunks=chunks,
        texts=texts,
        kept=kept,
        characters=characters,
        refused=refused,
        waiting=waiting,
    )


def _paid(rebuilder: Rebuilder, record: Document, active: IndexedGeneration, texts: dict[str, str]) -> dict[str, str]:
    """The texts, by hash, whose embeddings do not exist yet."""
    duplicate = rebuilder.duplicate(record, active)
    if duplicate is not None and duplicate.active is not None and duplicate.active.same_content(active):
        return {}
    known = rebuilder.known(record, duplicate)
    return {hash: text for hash, text in texts.items() if hash not in known}
