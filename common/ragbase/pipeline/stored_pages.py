"""The pages of a long document, from the texts that its parts have left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.page_text import PageText
from ragbase.messages.page_texts import decode_pages

if TYPE_CHECKING:
    from ragbase.domain.reading import Reading
    from ragbase.ports import PartTexts


@dataclass(frozen=True, slots=True)
class StoredPages:
    """All pages, in order. `lost` has the numbers of the parts that are read, but whose text is not there: a removal
    that was asked for an earlier reading may take effect late."""

    pages: list[PageText]
    lost: list[int]


def stored_pages(document_id: str, generation: int, reading: Reading, texts: PartTexts) -> StoredPages:
    """What the parts of a complete reading have read."""
    found = StoredPages([], [])
    for number, part in enumerate(reading.parts, start=1):
        text = texts.read(document_id, generation, reading.text_name(part))
        if text is None:
            found.lost.append(number)
        else:
            found.pages.extend(decode_pages(text))
    return found
