"""What a person should know of the pages of a PDF that have no text, or one that may be wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ragbase.domain.extraction import PageReading, PageText
from ragbase.domain.left_out import LeftOut

NOTES = {
    PageReading.OCR: "OCR, which may misread words, read {pages}.",
    PageReading.OCR_FAILED: "OCR_FAILED: OCR found no text on {pages}.",
    PageReading.UNREAD: (
        "No text of {pages}: pictures without a text layer that can be read. OCR reads them where the extra ocr is "
        "installed (`ragbase doctor` shows the command), unless the document's ocrMode is never."
    ),
    PageReading.DAMAGED: "No text of {pages}: damaged.",
}
MOST_RANGES = 20
"""How many ranges of pages a note names."""


def notes_on(pages: Sequence[PageText]) -> Iterator[str]:
    """A note for each kind of such pages. Blank pages need none."""
    for read, note in NOTES.items():
        numbers = [number for number, page in enumerate(pages, start=1) if page.read is read]
        if numbers:
            yield note.format(pages=_ranges(numbers))


def left_out_on(pages: Sequence[PageText]) -> Iterator[LeftOut]:
    """What was left out of the pages, one for each kind, with the pages' numbers. What differs comes first, since a
    note shows the beginning: running lines say the same on page after page."""
    found: dict[tuple[str, bool], dict[int, str]] = {}
    for number, page in enumerate(pages, start=1):
        for left_out in page.left_out:
            found.setdefault((left_out.what, left_out.shown), {})[number] = left_out.text
    for (what, shown), texts in found.items():
        lines = [line for text in texts.values() for line in text.splitlines()]
        first = dict.fromkeys(lines)
        repeated = Counter(lines) - Counter(first.keys())
        yield LeftOut(f"{what} on {_ranges(list(texts))}", "\n".join([*first, *repeated.elements()]), shown)


def _ranges(numbers: Sequence[int]) -> str:
    """As in "pages 2, 5–7"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][-1] + 1:
            ranges[-1][1:] = [number]
        else:
            ranges.append([number])
    shown = ", ".join("–".join(map(str, some)) for some in ranges[:MOST_RANGES])
    more = ", …" if len(ranges) > MOST_RANGES else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {shown}{more}"
