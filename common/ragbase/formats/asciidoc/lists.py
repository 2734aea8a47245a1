"""The lists of AsciiDoc that are open, and the blocks around them."""

from __future__ import annotations

from contextlib import ExitStack

from ragbase.formats.markdown_text import MarkdownText

MAX_DEPTH = 12
"""Lists, or blocks, within each other."""


class Lists:
    """Opens and ends items. A list is told from others by its mark: `*`, `**`, `.`, `::`."""

    def __init__(self, out: MarkdownText) -> None:
        self._out = out
        self._items: list[tuple[str, ExitStack]] = []
        self._blocks: list[tuple[str, list[tuple[str, ExitStack]]]] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    def begin_item(self, kind: str, first: str) -> None:
        """An item of the list of this kind: the one that is open, or a new one inside of the innermost."""
        if any(kind == open_ for open_, _ in self._items):
            while self._items:
                open_, item = self._items.pop()
                item.close()
                if open_ == kind:
                    break
        elif len(self._items) >= MAX_DEPTH:
            self._items.pop()[1].close()
        item = ExitStack()
        item.enter_context(self._out.within(first, " " * max(len(first), 2)))
        self._items.append((kind, item))

    def end(self) -> None:
        """End the lists of the innermost block."""
        while self._items:
            self._items.pop()[1].close()

    def holds(self, delimiter: str) -> bool:
        """Whether a block with this delimiter is open."""
        return any(delimiter == mark for mark, _ in self._blocks)

    def begin_block(self, delimiter: str) -> None:
        if len(self._blocks) < MAX_DEPTH:
            self._blocks.append((delimiter, self._items))
            self._items = []

    def end_block(self, delimiter: str | None = None) -> None:
        """End the block with this delimiter and those inside of it; None ends all."""
        while self._blocks:
            self.end()
            mark, self._items = self._blocks.pop()
            if mark == delimiter:
                return
        self.end()
