"""Find dead letters by their document or reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbase.domain.dead_letter import DeadLetter
from ragbase.domain.fitting_page import fitting_page
from ragbase.ports import DeadLetterPlace, DeadLetters

_PAGE = 100
"""Dead letters that are in memory at once."""


def find_dead_letters(
    dead_letters: DeadLetters, *, document_ids: Sequence[str] = (), reason: str = ""
) -> Iterator[DeadLetter]:
    """The dead letters about these documents, or about all, whose code or reason contains `reason`; the newest first.

    The caller may remove them during the iteration. Dead letters that arrive during it are left out, so it ends even
    if each message that is replayed fails again.
    """
    for dead_letter in _about(dead_letters, document_ids) if document_ids else _all(dead_letters):
        if _says(dead_letter, reason):
            yield dead_letter


def dead_letter_page(
    dead_letters: DeadLetters, *, reason: str = "", before: DeadLetterPlace | None = None, limit: int
) -> tuple[Sequence[DeadLetter], DeadLetterPlace | None]:
    """A page of the dead letters whose code or reason contains `reason`, the newest first (domain/fitting_page.py)."""
    return fitting_page(
        lambda place, most: dead_letters.page(before=place, limit=most),
        lambda one: _says(one, reason),
        lambda one: DeadLetterPlace(one.last_seen, one.id),
        after=before,
        limit=limit,
    )


def _says(dead_letter: DeadLetter, reason: str) -> bool:
    return reason.casefold() in f"{dead_letter.code.value}: {dead_letter.reason}".casefold()


def _about(dead_letters: DeadLetters, document_ids: Sequence[str]) -> Iterator[DeadLetter]:
    for id in dict.fromkeys(document_ids):
        yield from dead_letters.about(id)


def _all(dead_letters: DeadLetters) -> Iterator[DeadLetter]:
    last: DeadLetter | None = None
    while page := dead_letters.page(before=last, limit=_PAGE):
        yield from page
        last = page[-1]
