"""An index: the chunks and vectors of all documents, made with one model and language."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_LONGEST_SLUG = 40
"""Characters. With the digest and a store's own prefix, the name stays within the limit of every store (SQLite has
none, Weaviate 230, Qdrant 255)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """`model` makes its vectors of `dimension` numbers. Its texts were analysed in `language`.

    `name` is derived from everything that decides its chunks, so that an interrupted reindex finds what it has built.
    It has lower-case letters, digits and underscores only, so that every store accepts it.
    """

    name: str
    model: str
    dimension: int
    language: str

    def made_like(self, other: Index) -> bool:
        """Whether a query is embedded and analysed in the same way for both."""
        return (self.model, self.dimension, self.language) == (other.model, other.dimension, other.language)


def index_of(fingerprint: str, *, model: str, dimension: int, language: str, replaces: str = "") -> Index:
    """The index that this fingerprint makes.

    `replaces` names an index that has this name already, although some of its documents were made differently. The
    index that replaces it needs another name.
    """
    slug = re.sub(r"[^a-z0-9]+", "_", model.casefold()).strip("_")[:_LONGEST_SLUG].rstrip("_") or "model"
    digest = hashlib.sha256(f"{fingerprint}\n{model}\n{dimension}\n{language}\n{replaces}".encode()).hexdigest()[:8]
    return Index(name=f"{slug}_{digest}", model=model, dimension=dimension, language=language)
