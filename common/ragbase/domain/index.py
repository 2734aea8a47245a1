"""An index: the chunks and vectors of all documents, made with one model and language."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from ragbase.domain.tenant import Tenancy

_GRAPH = "_graph"
"""How the names of indexes with a graph end. All others end with a digest."""

_LONGEST_SLUG = 40
"""Characters. With the digest and a store's own prefix, the name stays within the limit of every store (SQLite has
none, Weaviate 230, Qdrant 255)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """`model` makes its vectors of `dimension` numbers. Its texts were analysed in `language`. By `tenancy`, it has one
    partition for all documents, or one for each tenant.

    `name` is derived from everything that decides its chunks, so that an interrupted reindex finds what it has built.
    It has lower-case letters, digits and underscores only, so that every store accepts it.
    """

    name: str
    model: str
    dimension: int
    language: str
    tenancy: Tenancy = Tenancy.NONE

    @property
    def has_graph(self) -> bool:
        """Whether a search by vector follows a graph and may miss a near chunk; otherwise it compares all vectors."""
        return self.name.endswith(_GRAPH)

    @property
    def is_split(self) -> bool:
        """Whether each tenant has a partition of its own."""
        return self.tenancy is not Tenancy.NONE

    def tenant_of(self, name: str) -> str:
        """The tenant whose partition holds the document of this name."""
        return self.tenancy.tenant_of(name)

    def same_tenant(self, name: str, other: str) -> bool:
        """Whether the documents of these names are in one partition."""
        return self.tenant_of(name) == self.tenant_of(other)

    def check_tenant(self, tenant: str) -> None:
        """Raises ValueError if the index is not split, and a tenant is named."""
        if tenant and not self.is_split:
            raise ValueError(f"The index {self.name} is not split by tenant: it has no partition for {tenant!r}.")

    def check_split(self) -> None:
        """Raises ValueError if the index is not split."""
        if not self.is_split:
            raise ValueError(f"The index {self.name} is not split by tenant.")

    def made_like(self, other: Index) -> bool:
        """Whether both have chunks of the same model and language, are split in the same way, and searched so."""
        return self == replace(other, name=self.name) and self.has_graph == other.has_graph


def index_of(
    fingerprint: str,
    *,
    model: str,
    dimension: int,
    language: str,
    tenancy: Tenancy = Tenancy.NONE,
    has_graph: bool = False,
    replaces: str = "",
) -> Index:
    """The index that this fingerprint makes.

    `replaces` names an index that has this name already, although some of its documents were made differently. The
    index that replaces it needs another name.
    """
    slug = re.sub(r"[^a-z0-9]+", "_", model.casefold()).strip("_")[:_LONGEST_SLUG].rstrip("_") or "model"
    made_of = f"{fingerprint}\n{model}\n{dimension}\n{language}\n{replaces}"
    if tenancy is not Tenancy.NONE:  # the names of the other indexes are older than tenants, and stay
        made_of += f"\n{tenancy.value}"
    digest = hashlib.sha256(made_of.encode()).hexdigest()[:8]
    name = f"{slug}_{digest}{_GRAPH if has_graph else ''}"
    return Index(name=name, model=model, dimension=dimension, language=language, tenancy=tenancy)
