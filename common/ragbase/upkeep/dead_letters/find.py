"""Find dead letters by their document or reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbase.domain.dead_letter import DeadLetter
from ragbase.ports import DeadLetterPlace, DeadLetters

_PAGE = 100
"""Dead letters that are in memory at once."""
LOOKED_AT = 1_000
"""Dead letters that are read for one page."""


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
    """At most `limit` dead letters after a place, whose code or reason contains `reason`, the newest first; and where
    the next page begins, None at the end. It looks at LOOKED_AT dead letters, so a page may have fewer before the end.
    """
    found: list[DeadLetter] = []
    for _ in range(0, LOOKED_AT, _PAGE):
        page = dead_letters.page(before=before, limit=_PAGE)
        for one in page:
            if len(found) == limit:
                return found, before
            if _says(one, reason):
                found.append(one)
            before = DeadLetterPlace(one.last_seen, one.id)
        if len(page) < _PAGE:
            return found, None
    return found, before


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
