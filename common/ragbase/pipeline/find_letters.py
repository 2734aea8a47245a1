"""Which dead letters somebody means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbase.domain.dead_letter import DeadLetter
from ragbase.ports import DeadLetters

_PAGE = 100
"""Letters that are in memory at once."""


def find_letters(letters: DeadLetters, *, document_ids: Sequence[str] = (), reason: str = "") -> Iterator[DeadLetter]:
    """The newest first: those about any of the documents, or about all, whose code or reason contains `reason`.

    They may be removed meanwhile, and those that come meanwhile are not among them: so the iteration ends even where
    each letter that is dealt with comes again.
    """
    wanted = reason.casefold()
    for letter in _about(letters, document_ids) if document_ids else _all(letters):
        if wanted in f"{letter.code.value}: {letter.reason}".casefold():
            yield letter


def _about(letters: DeadLetters, document_ids: Sequence[str]) -> Iterator[DeadLetter]:
    for id in dict.fromkeys(document_ids):
        yield from letters.about(id)


def _all(letters: DeadLetters) -> Iterator[DeadLetter]:
    last: DeadLetter | None = None
    while page := letters.page(before=last, limit=_PAGE):
        yield from page
        last = page[-1]
