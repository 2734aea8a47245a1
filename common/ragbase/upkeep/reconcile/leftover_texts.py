"""What is stored of texts and no record needs: given texts, the texts of parts, and word boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbase.domain.document import Document
from ragbase.ports import GivenTexts, PartTexts, StoredText, WordBoxes
from ragbase.upkeep.reconcile.compare import Difference, DifferenceKind, Remedy


class _Store(Protocol):
    """What each of these stores has."""

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]: ...

    def delete(self, document_id: str, generation: int) -> None: ...


@dataclass(frozen=True, slots=True)
class LeftoverTexts:
    """One store of texts, and which of its texts a record needs. `found` says what a leftover is; the number of its
    generation follows."""

    store: _Store
    is_needed: Callable[[Document, int], bool]
    found: str

    def difference(self, text: StoredText) -> Difference:
        return Difference(
            kind=DifferenceKind.ORPHANED,
            found=f"{self.found} {text.generation}, which no record needs",
            remedy=Remedy.REMOVE_TEXT,
            generation=text.generation,
        )


def given_texts(texts: GivenTexts) -> LeftoverTexts:
    return LeftoverTexts(texts, Document.needs, "the given text")


def part_texts(texts: PartTexts) -> LeftoverTexts:
    return LeftoverTexts(texts, Document.is_reading, "the text of the parts of generation")


def word_boxes(boxes: WordBoxes) -> LeftoverTexts:
    return LeftoverTexts(boxes, Document.needs, "the word boxes of generation")
