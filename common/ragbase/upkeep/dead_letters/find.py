"""Find dead letters by their document or reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbase.domain.dead_letter import DeadLetter
from ragbase.ports import DeadLetters

_PAGE = 100
"""Dead letters that are in memory at once."""


def find_dead_letters(
    dead_letters: DeadLetters, *, document_ids: Sequence[str] = (), reason: str = ""
) -> Iterator[DeadLetter]:
    """The dead letters about these documents, or about all, whose code or reason contains `reason`; the newest first.

    The caller may remove them during the iteration. Dead letters that arrive during it are left out, so it ends even
    if each message that is replayed fails again.
    """
    wanted = reason.casefold()
    for dead_letter in _about(dead_letters, document_ids) if document_ids else _all(dead_letters):
        if wanted in f"{dead_letter.code.value}: {dead_letter.reason}".casefold():
            yield dead_letter


def _about(dead_letters: DeadLetters, document_ids: Sequence[str]) -> Iterator[DeadLetter]:
    for id in dict.fromkeys(document_ids):
        yield from dead_letters.about(id)


def _all(dead_letters: DeadLetters) -> Iterator[DeadLetter]:
    last: DeadLetter | None = None
    while page := dead_letters.page(before=last, limit=_PAGE):
        yield from page
        last = page[-1]
