"""A number that stands in a text, and what it measures."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ragbase.retrieval.meaning.units import MeasureUnit


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """`values` are those that it may have: 1.250 is 1250 in German. `is_word` if it has no digit; `is_vague` if it is
    a word such as "thousands" or "one", which often counts nothing; `is_ordinal` if it is a place in an order: "third",
    "3rd"."""

    start: int
    end: int
    values: frozenset[Decimal]
    unit: MeasureUnit | None = None
    is_word: bool = False
    is_vague: bool = False
    is_ordinal: bool = False

    def agrees(self, other: WrittenNumber) -> bool:
        """Whether both may be the same amount. A unit that only one of them has tells nothing."""
        if self.unit is None or other.unit is None:
            return not self.values.isdisjoint(other.values)
        if self.unit.dimension != other.unit.dimension:
            return False
        return not self._sizes().isdisjoint(other._sizes())

    def _sizes(self) -> frozenset[Decimal]:
        sizes = self.unit.sizes if self.unit is not None else ()
        return frozenset((value * size).normalize() for value in self.values for size in sizes)
