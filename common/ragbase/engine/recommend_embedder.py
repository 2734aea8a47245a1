"""Recommend the multilingual model where MiniLM, which was trained on English, has documents in other languages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.retrieval.languages.background import background_of
from ragbase.text.languages import language_of

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.ports import DocumentStore, Embedder, OpenIndex

_MINILM = "all-minilm-l6-v2"
_LOOKED_AT = 50
"""Documents. More say the same."""
_SAID = "recommended-embedder"
"""The checkpoint that keeps that it was said."""
_LEAST_BACKGROUND = 0.22
"""MiniLM's cosine of a passage with everyday sentences of the nearest language. Its mean in 60 languages with Latin
letters is .29 and more, but in German (.20) and French (.25), which have function words. English prose, tables and
program text have .08 to .15."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """So many of the documents that were looked at are not in English."""

    foreign: int
    documents: int

    def __str__(self) -> str:
        return (
            f"{self.foreign} of {self.documents} documents are not in English, and the embedding model (minilm) was "
            'trained on English. Set embedder = "e5" (RAGBASE_EMBEDDER=e5) and run `ragbase reindex`: that model knows '
            "a hundred languages. It takes two to three times the time."
        )


def recommended(index: OpenIndex | None, documents: Iterable[Document]) -> Recommendation | None:
    """None if MiniLM is not the model of the index, or if at least half of the documents are in English."""
    if index is None or _MINILM not in index.index.model.casefold():
        return None
    known = [one for record in documents if (one := _is_foreign(record, index)) is not None]
    found = Recommendation(sum(known), len(known))
    return found if 2 * found.foreign > found.documents else None


def recommended_once(profile: Profile, documents: Iterable[Document]) -> Recommendation | None:
    """The same, but only the first time in the life of the data folder."""
    if not profile.runs_lanes or profile.checkpoints.load(_SAID) is not None:
        return None
    found = recommended(profile.current_index.get(), islice(documents, _LOOKED_AT))
    if found is not None:
        profile.checkpoints.save(_SAID, profile.clock.now().isoformat())
    return found


def recommended_for_all(index: OpenIndex | None, documents: DocumentStore) -> Recommendation | None:
    """For the documents of the index."""
    return recommended(index, documents.page(limit=_LOOKED_AT))


def _is_foreign(record: Document, index: OpenIndex) -> bool | None:
    """None if search shows nothing of the document. Its first passage decides."""
    shown = record.indexed_in(index.index.name)
    if shown is None:
        return None
    passages = index.vectors_of(record.name).chunks(record.id, shown.generation, first=0, limit=1)
    return is_foreign(passages[0].text, index.embedder) if passages else None


def is_foreign(text: str, minilm: Embedder) -> bool:
    """Whether the text is in another language than English. Its function words tell it, or its script. For a language
    whose words we don't have, MiniLM does: it finds all texts alike of a language that it does not know."""
    language = language_of(text)
    if language is not None:
        return language != "english"
    letters = [character for character in text if character.isalpha()]
    latin = sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    if 2 * latin < len(letters):
        return True
    (vector,) = minilm.embed_documents([text]).vectors
    return background_of(vector, _MINILM) >= _LEAST_BACKGROUND
