"""One document that cannot be compared or repaired does not keep the others from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragbase.domain.errors import TransientError
from ragbase.upkeep.reconcile.progress import DocumentError, Finding

MOST_FAILURES_IN_A_ROW = 3
"""Documents that may fail by a TransientError one after another. More than that means that a service is away."""


@dataclass(frozen=True, slots=True)
class Failures:
    """The documents of the page in work that failed, and what one document after another has failed by."""

    _errors: list[DocumentError] = field(default_factory=list)
    _away: list[TransientError] = field(default_factory=list)

    def of_page(self) -> Sequence[DocumentError]:
        """The errors since the last call of this."""
        errors = tuple(self._errors)
        self._errors.clear()
        return errors

    def tried(self, id: str, name: str, work: Callable[[], list[Finding] | None]) -> list[Finding] | None:
        """What `work` on a document returns; None, and an error of this document, if it fails. Raises TransientError
        where one document after another fails by one."""
        try:
            findings = work()
        except Exception as error:
            self._away.extend([error] if isinstance(error, TransientError) else [])
            if len(self._away) > MOST_FAILURES_IN_A_ROW:
                raise
            self._errors.append(DocumentError(document_id=id, name=name, reason=f"{type(error).__name__}: {error}"))
            return None
        self._away.clear()
        return findings
