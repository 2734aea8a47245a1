"""The two tools that hosted assistants look for: `search` and `fetch`, with OpenAI's names and shapes.

https://developers.openai.com/api/docs/mcp: `search` takes a query and gives results with id, title and url; `fetch`
takes an id of those, and gives id, title, text, url and metadata. Both give this JSON as structured content and as one
text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.question import Question
from ragbase.interfaces.mcp.arguments import PAGE, FetchArguments, QueryArguments
from ragbase.interfaces.mcp.frames import quoted
from ragbase.interfaces.mcp.tool import Documents, Tool, ToolAnswer, ToolRefused, no_document
from ragbase.messages.json_model import JsonModel

if TYPE_CHECKING:
    from ragbase.messages.api.query import SearchResultBody

_BEFORE = PAGE // 4
"""Characters before a passage that come along, if its document is too long to come whole."""
_ID = re.compile(r"(?P<document>.+?)(?::(?P<start>[0-9]{1,12})(?:-(?P<end>[0-9]{1,12}))?)?")
"""Of a document, of its text from a character on, or of a passage."""


class FetchablePassage(JsonModel):
    """`id` is what `fetch` takes: the document, and the characters of the passage in its text."""

    id: str
    title: str
    url: str


class FetchablePassages(JsonModel):
    results: tuple[FetchablePassage, ...]


class FetchedMetadata(JsonModel):
    """`text` is the document's from `charStart` on, to before `charEnd`. `nextId` fetches what follows, if anything
    does."""

    filename: str
    char_start: int
    char_end: int
    next_id: str | None = None


class FetchedDocument(JsonModel):
    id: str
    title: str
    text: str
    url: str
    metadata: FetchedMetadata


def _search(documents: Documents, asked: QueryArguments) -> ToolAnswer:
    found = documents.knowledge.query(Question(asked.query.strip()))
    return ToolAnswer(
        FetchablePassages(
            results=tuple(
                FetchablePassage(id=one.place_id, title=_title(one), url=documents.address(one.document_id))
                for one in found.results
            )
        )
    )


def _title(found: SearchResultBody) -> str:
    """An assistant chooses by the title alone: it says where in the document the passage stands, too. What the document
    calls itself is left out: it could pose as another one."""
    name, place = found.filename, found.metadata
    numbers = (("page", place.page), ("row", place.row))
    parts = [name, *(f"{unit} {number}" for unit, number in numbers if number is not None)]
    return f"{', '.join(parts)}: {place.heading}" if place.heading else ", ".join(parts)


def _fetch(documents: Documents, asked: FetchArguments) -> ToolAnswer:
    """The whole text of a document that fits, or as much of it around the passage."""
    wanted = _ID.fullmatch(asked.id)
    if wanted is None:
        raise ToolRefused(no_document(asked.id))
    offset = int(wanted["start"] or 0)
    if wanted["end"] is not None:
        offset = 0 if int(wanted["end"]) <= PAGE else max(0, offset - _BEFORE)
    page = documents.knowledge.read(wanted["document"], offset=offset, limit=PAGE)
    if page is None:
        raise ToolRefused(no_document(wanted["document"]))
    filename = page.document.filename
    if page.text is None:
        raise ToolRefused(f"Search shows nothing of {quoted(filename)}: it is {page.document.status}.")
    if not page.text and offset:
        raise ToolRefused(f"{quoted(filename)} has no text at character {offset}: it has changed. Search again.")
    next_offset = page.next_offset
    return ToolAnswer(
        FetchedDocument(
            id=asked.id,
            title=filename,
            text=page.text,
            url=documents.address(page.document.id),
            metadata=FetchedMetadata(
                filename=filename,
                char_start=offset,
                char_end=offset + len(page.text),
                next_id=None if next_offset is None else f"{page.document.id}:{next_offset}",
            ),
        )
    )


SEARCH = Tool(
    "search",
    "Find passages about a question. Gives an id, a title and an address for each; fetch reads one.",
    QueryArguments,
    FetchablePassages,
    _search,
)
FETCH = Tool(
    "fetch",
    "Read a document around a passage, by an id that search gave.",
    FetchArguments,
    FetchedDocument,
    _fetch,
)
