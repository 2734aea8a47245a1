"""A text as it is measured and cut: without the padding of its tables, and with one kind of line end."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from ragbase.domain.padding import padding

_OLD_LINE_END = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True)
class MeasuredText:
    """`text` is what is measured. `_cuts` are the places in it where padding was left out of the whole text, in order,
    and `_left_out` says how many characters of the whole text are left out up to there."""

    text: str
    _cuts: Sequence[int] = ()
    _left_out: Sequence[int] = ()

    @classmethod
    def of(cls, whole: str) -> MeasuredText:
        text = with_line_feeds(whole)
        spans = list(padding(text))
        if not spans:
            return cls(text)
        left_out = list(accumulate(end - start for start, end in spans))
        places = (0, *chain.from_iterable(spans), len(text))
        kept = "".join([text[start:end] for start, end in zip(places[::2], places[1::2], strict=True)])
        return cls(kept, [end - out for (_, end), out in zip(spans, left_out, strict=True)], left_out)

    @property
    def is_shorter(self) -> bool:
        """Whether it is another text than the whole one, with other positions."""
        return bool(self._cuts)

    def whole_span(self, start: int, end: int) -> tuple[int, int]:
        """Where a piece of the measured text, which has no blanks around it, begins and ends in the whole text."""
        return self._whole(start), self._whole(end - 1) + 1

    def _whole(self, position: int) -> int:
        index = bisect_right(self._cuts, position)
        return position + self._left_out[index - 1] if index else position

    def measured_position(self, position: int) -> int:
        """The place in the measured text of a position in the whole text."""
        spans = range(len(self._cuts))
        index = bisect_right(spans, position, key=lambda span: self._cuts[span] + self._left_out[span])
        measured = position - self._left_out[index - 1] if index else position
        return min(measured, self._cuts[index]) if index < len(self._cuts) else measured


def with_line_feeds(text: str) -> str:
    """The text with a line feed for each carriage return that stands alone, as old Macs end lines. It is as long."""
    if "\r" not in text or text.count("\r") == text.count("\r\n"):
        return text
    return _OLD_LINE_END.sub("\n", text)
