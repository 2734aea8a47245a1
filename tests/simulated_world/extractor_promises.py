"""What must hold of documents that an extractor elsewhere reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragbase.domain.document import Document
from tests.simulated_world.violation import Violation


@dataclass(slots=True)
class ExtractorPromises:
    """`handed_out` is called with each document that a lane leaves to the extractor."""

    handed_out: Callable[[Document], object]

    def changed(self, before: Document | None, after: Document) -> None:
        """A text is taken only while its document waits for it, and no lane works on the document meanwhile."""
        wait = before.handed_out if before is not None else None
        if is_given(before, after) and (wait is None or wait.is_over(after.updated_at)):
            raise Violation("late callback", f"{after.name}: a text was taken that nobody waits for")
        if after.handed_out is not None and after.lease is not None:
            raise Violation("handed out", f"{after.name}: a lane works on what an extractor elsewhere reads")
        if after.handed_out is not None and after.handed_out != wait:
            self.handed_out(after)


def is_given(before: Document | None, after: Document) -> bool:
    """Whether a text was given just now. It was not if a repair has ended one that was given later, and has failed."""
    text = after.given_text
    if text is None or (before is not None and text == before.given_text):
        return False
    return before is None or before.active is None or before.active.given != text


def is_handed_out(before: Document, after: Document) -> bool:
    """Whether a worker has given the document back for an extractor elsewhere to read."""
    return before.handed_out is None and after.handed_out is not None


def has_no_answer(record: Document) -> bool:
    """Whether the extractor elsewhere has said nothing in time."""
    return record.failure is not None and record.failure.reason.startswith("The extractor elsewhere did not answer")
