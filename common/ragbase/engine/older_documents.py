"""How many documents search still shows as an older version, or other settings, have read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.pipeline.fingerprint import is_read_otherwise
from ragbase.ports import ListingPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.domain.index import Index
    from ragbase.pipeline.make_chunks import Maker
    from ragbase.ports import DocumentStore, Indexes

_PAGE = 500
"""Documents whose records are read together."""


@dataclass(frozen=True, slots=True)
class OlderDocuments:
    """So many `documents` of those that were `looked_at`: of all, or of the oldest."""

    documents: int
    looked_at: int
    are_all: bool

    def __str__(self) -> str:
        of = f"{self.looked_at:,} documents" if self.are_all else f"the {self.looked_at:,} oldest documents"
        were = "was" if self.documents == 1 else "were"
        return f"{self.documents:,} of {of} {were} read by an older version of ragbase or with other settings"


def older_documents(
    *, documents: DocumentStore, indexes: Indexes, maker_for: Callable[[Index], Maker]
) -> OlderDocuments | None:
    """Those that `ragbase reindex` would make differently in the current index. All records are read, and no text.

    None if there is none. Raises ConfigurationError if the settings name no embedder that works.
    """
    index = indexes.current()
    return _counted(documents, maker_for(index).is_outdated) if index is not None else None


def oldest_documents(
    profile: Profile, *, tenant: str | None = None, reach: Reach = EVERYWHERE, most: int
) -> OlderDocuments | None:
    """Those (of this tenant, within reach) whose file would be read, or whose text would be cut, differently today: a
    quick look at the `most` oldest ones, which an older version is most likely to have read.

    None if there is none, and in the profile gcp, where each record that is read is billed. Raises ConfigurationError
    for settings that nothing can be read with.
    """
    if profile.config.profile != "embedded":
        return None
    is_outdated = partial(is_read_otherwise, extractor=profile.extractor, chunker=profile.chunker)
    return _counted(profile.documents, is_outdated, tenant, reach, most)


def _counted(
    documents: DocumentStore,
    is_outdated: Callable[[Document], bool],
    tenant: str | None = None,
    reach: Reach = EVERYWHERE,
    most: int | None = None,
) -> OlderDocuments | None:
    total = documents.count(tenant=tenant, reach=reach)
    first = max(0, total - most) if most is not None else 0
    looked_at = outdated = 0
    for page in _pages(documents, tenant, reach, first):
        looked_at += len(page)
        outdated += sum(map(is_outdated, page))
    return OlderDocuments(outdated, looked_at, are_all=not first) if outdated else None


def _pages(documents: DocumentStore, tenant: str | None, reach: Reach, first: int) -> Iterator[Sequence[Document]]:
    page = documents.page(tenant=tenant, reach=reach, limit=_PAGE, offset=first)
    while page:
        yield page
        place = ListingPlace(page[-1].created_at, page[-1].id)
        page = documents.page(tenant=tenant, reach=reach, limit=_PAGE, after=place)
