"""The text of a manual page on its way to Markdown: paragraphs, items, code."""

from __future__ import annotations

from contextlib import ExitStack

from ragbase.formats.markdown_text import MarkdownText

MAX_ITEMS = 12
"""Items within each other."""
ITEM = "item"
TAB = 8


class ManPage:
    """Takes text line by line, and writes it when a block ends."""

    def __init__(self, out: MarkdownText) -> None:
        self.out = out
        self.waits_for: str | None = None
        """What the next line is: the tag of an item, or a heading of this level."""

        self._paragraph: list[str] = []
        self._code: list[str] | None = None
        self._items: list[ExitStack] = []
        self._indents: list[int] = []  # how many items were open where an indentation began

    @property
    def in_code(self) -> bool:
        return self._code is not None

    @property
    def in_item(self) -> bool:
        return bool(self._items)

    def text(self, text: str) -> None:
        """A line of text."""
        if self._code is not None:
            self._code.append(text.expandtabs(TAB))
        elif self.waits_for is not None:
            kind, self.waits_for = self.waits_for, None
            if kind == ITEM:
                self.item(text)
            else:
                self.heading(int(kind), text)
        elif text.strip():
            if text[0] == " ":
                self.flush()
            self._paragraph.append(text.strip())

    def flush(self) -> None:
        """End the line, as `.br` does."""
        if self._paragraph:
            self.out.prose("\n".join(self._paragraph))
            self._paragraph.clear()

    def end_paragraph(self) -> None:
        self.flush()
        self.out.blank()

    def leave_items(self) -> None:
        """End the items of this indentation."""
        self.close_items(self._indents[-1] if self._indents else 0)

    def heading(self, level: int, text: str) -> None:
        self.end_code()
        self.close_items(0)
        self._indents.clear()
        self.out.heading(level, text)

    def item(self, tag: str, first: str = "- ") -> None:
        """An item of a list, whose text follows."""
        self.flush()
        self.leave_items()
        if len(self._items) >= MAX_ITEMS:
            self._items.pop().close()
        item = ExitStack()
        item.enter_context(self.out.within(first, " " * len(first)))
        self._items.append(item)
        if tag.strip():
            self.out.prose(tag.strip())

    def close_items(self, count: int) -> None:
        self.flush()
        while len(self._items) > count:
            self._items.pop().close()

    def begin_indent(self) -> None:
        self.end_paragraph()
        self._indents.append(len(self._items))

    def end_indent(self) -> None:
        self.end_code()
        if self._indents:
            self.close_items(self._indents.pop())
        self.end_paragraph()

    def begin_code(self) -> None:
        self.end_code()
        self.flush()
        self._code = []

    def end_code(self) -> None:
        if self._code is not None:
            code, self._code = self._code, None
            self.out.code(code)

    def close(self) -> None:
        self.end_code()
        self.close_items(0)
