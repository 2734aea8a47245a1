"""An index: the chunks and vectors that one model, and one way of making them, made of all documents."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_LONGEST_SLUG = 40
"""Characters; with the digest and a store's own prefix the name stays below any store's limit (SQLite has none,
Weaviate takes 230, Qdrant 255)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """`model` makes its vectors of `dimension` numbers, `language` is the one its texts were analysed in.

    `name` is derived from all that decides about its chunks, so that whoever goes on with an interrupted reindex finds
    what was built. It has lower-case letters, digits and underscores only, so that any store takes it.
    """

    name: str
    model: str
    dimension: int
    language: str

    def made_like(self, other: Index) -> bool:
        """Whether a query is embedded and analysed alike for both."""
        return (self.model, self.dimension, self.language) == (other.model, other.dimension, other.language)


def index_of(fingerprint: str, *, model: str, dimension: int, language: str, beside: str = "") -> Index:
    """The index that this fingerprint makes.

    `beside` names an index that has this name already, though documents in it were made in another way: the one that
    takes its place has a name of its own.
    """
    slug = re.sub(r"[^a-z0-9]+", "_", model.casefold()).strip("_")[:_LONGEST_SLUG].rstrip("_") or "model"
    digest = hashlib.sha256(f"{fingerprint}\n{model}\n{dimension}\n{language}\n{beside}".encode()).hexdigest()[:8]
    return Index(name=f"{slug}_{digest}", model=model, dimension=dimension, language=language)
