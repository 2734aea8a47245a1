"""The pages of a site that are still to be looked at."""

from __future__ import annotations

from collections import deque

from ragbase.domain.errors import UnreadableSource
from ragbase.sources.page_name import is_below

MAX_URLS = 50_000
MAX_URL_CHARACTERS = 10_000_000
"""Of all pages of a site together: what is remembered of them while they are listed."""


class PageQueue:
    """Each page comes once, in the order in which they were added."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._waiting: deque[str] = deque()
        self._known: set[str] = set()
        self._characters = 0

    @property
    def count(self) -> int:
        """Of all pages that were ever added."""
        return len(self._known)

    def add(self, url: str) -> None:
        """Pages of other sites are left out. Raises UnreadableSource if there are too many."""
        if url in self._known or not is_below(url, self._site):
            return
        self._known.add(url)
        self._characters += len(url)
        if len(self._known) > MAX_URLS or self._characters > MAX_URL_CHARACTERS:
            raise UnreadableSource(
                f"{self._site}: it has more than {MAX_URLS:,} pages, or very long addresses. Sync a folder of it."
            )
        self._waiting.append(url)

    def next(self) -> str | None:
        return self._waiting.popleft() if self._waiting else None
