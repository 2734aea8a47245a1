"""A document that an extractor elsewhere reads: until when it is handed out, and the text that came back."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from ragbase.domain.passed import is_ahead


@dataclass(frozen=True, slots=True)
class HandedOut:
    """Since when it waits for its text, and until when."""

    since: datetime
    until: datetime

    def is_over(self, now: datetime) -> bool:
        return now >= self.until

    def as_of(self, now: datetime) -> HandedOut:
        """The wait, begun now if the clock was put back to before it began: it gets no longer than it was meant to."""
        return HandedOut(since=now, until=now + (self.until - self.since)) if is_ahead(self.since, now) else self


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenText:
    """What a record knows of a given text. The text itself is in `ports.texts`.

    It is the text of one generation of a file, `of`, and is processed like a generation of its own, with the number
    `generation`. So a flip replaces what search showed before, whether our reader or another given text made it. Its
    number is below zero: no object has it. `hash` is the text's `text_hash`.
    """

    generation: int
    of: int
    hash: str
    page_count: int
    ocr_applied: bool


def given_generation(document_id: str, revision: int, hash: str, now: datetime) -> int:
    """The number of a text that is given `now` to a record of this revision: below zero, and never the same again, as
    a revision takes over only one text. (Two calls that give the same text at the same moment share it.) It has 52
    bits, so that every vector store keeps it exactly."""
    facts = f"{document_id}\n{revision}\n{hash}\n{now.isoformat()}"
    return -1 - (int.from_bytes(hashlib.blake2b(facts.encode(), digest_size=8).digest()) >> 12)
