"""What a reindex would cost, without doing any of it."""

from __future__ import annotations

from dataclasses import dataclass

from ragbase.domain.chunk import embedding_text
from ragbase.domain.document import Active, Document
from ragbase.domain.errors import GenerationGone, PermanentError
from ragbase.domain.identity import text_hash
from ragbase.domain.index import Index
from ragbase.pipeline.rebuild import Rebuilder
from ragbase.pipeline.reindexing import Reindexing

CHARACTERS_A_TOKEN = 4
"""What a token of English text has on the average, in the tokenizers of Cohere and of OpenAI alike. Other languages
have less: take it for an estimate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexCost:
    """`index` is the one that would be built; None where nothing is to be done. Of the texts of `chunks` chunks,
    `texts` with `characters` characters would be embedded, and `kept` not, as their embeddings are there already.
    `refused` documents cannot be made as the settings say, and `waiting` are in work."""

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
        """An estimate."""
        return self.characters // CHARACTERS_A_TOKEN


def reindex_cost(work: Reindexing) -> ReindexCost:
    """Read, extract and cut every document that a reindex would make; embed nothing, write nothing."""
    live = work.indexes.live()
    if live is None or not work.is_due(live):
        return ReindexCost(index=None)
    target = work.target(live)
    begun = target in work.indexes.all()
    rebuilder = work.rebuilder(target, work.indexes.open(target if begun else live), live)
    documents = chunks = texts = kept = characters = refused = waiting = 0
    for page in work.records():
        for record in page:
            if record.active is None or record.made_in(target.name) is not None:
                continue
            try:
                passages = rebuilder.indexer.chunker.split(rebuilder.extract(record, record.active)[1])
            except GenerationGone:
                waiting += 1
                continue
            except PermanentError:
                refused += 1
                continue
            by_hash = {text_hash(text): text for text in map(embedding_text, passages)}
            paid = _paid(work, rebuilder, record, record.active, by_hash)
            documents += 1
            chunks += len(passages)
            texts += len(paid)
            kept += len(by_hash) - len(paid)
            characters += sum(map(len, paid.values()))
    return ReindexCost(
        index=target,
        documents=documents,
        chunks=chunks,
        texts=texts,
        kept=kept,
        characters=characters,
        refused=refused,
        waiting=waiting,
    )


def _paid(
    work: Reindexing, rebuilder: Rebuilder, record: Document, active: Active, texts: dict[str, str]
) -> dict[str, str]:
    """Those of the texts whose embeddings nobody has."""
    twin = work.documents.get(active.duplicate_of) if active.duplicate_of else None
    if twin is not None and twin.active is not None and twin.active.md5 == active.md5:
        return {}
    known = rebuilder.known(record, active)
    return {hash: text for hash, text in texts.items() if hash not in known}
