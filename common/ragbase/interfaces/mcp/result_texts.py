"""What a model reads of a search and of a document (frames.py): it reads text better than JSON in quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.interfaces.mcp.frames import content, header_row, line, quoted
from ragbase.interfaces.near_miss_text import near_miss_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse
    from ragbase.messages.api.query import QueryResponse, SearchResultBody

NOTHING_FOUND = "No relevant information found."
"""What searchKnowledge says when it finds nothing (docs/contracts/csv-service.md, section 5). A text of its own says
what was nearest."""


def found_texts(found: QueryResponse) -> tuple[str, ...]:
    """The passages in one text. Without any, a text that says so, and one that says why. A last one says what was
    searched for, and which parts of the question have no answer."""
    remarks = "\n".join(_remarks(found))
    return (*_found(found), remarks) if remarks else _found(found)


def _found(found: QueryResponse) -> tuple[str, ...]:
    if found.results:
        return ("\n\n".join(_passage(number, result) for number, result in enumerate(found.results, 1)),)
    miss = found.near_miss
    lines = [*map(line, found.warnings or ())]
    if miss is not None:
        lines.insert(0, f"No passage reaches the threshold of {miss.threshold:g}. What follows is no answer.")
        lines.extend(map(line, near_miss_lines(miss, quoted)))
    return (NOTHING_FOUND, "\n".join(lines)) if lines else (NOTHING_FOUND,)


def _remarks(found: QueryResponse) -> Iterator[str]:
    if found.searched_for is not None:
        yield f"Searched for: {quoted(found.searched_for)}"
    for part in found.parts or ():
        if part.searched is False:
            yield f"This part of the question was not searched for. Ask it alone: {quoted(part.text)}"
        elif not part.covered:
            why = f" {quoted(part.missing.text)}" if part.missing is not None else ""
            yield f"The documents do not answer this part of the question: {quoted(part.text)}.{why}"


def page_text(page: DocumentPageResponse, offset: int) -> str:
    """A part of a document that begins at this character of its text. It says which tool reads on."""
    return _part(page, offset, f"offset {page.next_offset}")


def resource_text(page: DocumentPageResponse, offset: int) -> str:
    """The same with the address of the next part."""
    next_part = f"ragbase://documents/{line(page.document.id)}?offset={page.next_offset}"
    return _part(page, offset, f"{next_part}, and the tool get_document reads it from offset {page.next_offset} on")


def _part(page: DocumentPageResponse, offset: int, next_place: str) -> str:
    document = page.document
    lines = [f"[{quoted(document.filename)}, {document.status}, id {line(document.id)}]"]
    if page.text is None:
        # An extractor elsewhere may repeat in its reason what the document says.
        lines.append(
            f"Search shows nothing of it{f': {quoted(document.fail_reason)}' if document.fail_reason else '.'}"
        )
    elif page.text:
        lines.append(content(page.text))
    if page.next_offset is not None:
        lines.append(f"[Characters {offset} to {page.next_offset}. The text goes on at {next_place}.]")
    return "\n".join(lines)


def _passage(number: int, result: SearchResultBody) -> str:
    """The content below a line that says where it stands. Rows of a table stand below their header row."""
    place = result.metadata
    parts = [
        quoted(result.filename),
        f"page {place.page}" if place.page is not None else "",
        f"row {place.row}" if place.row is not None else "",
        f"under {quoted(place.heading)}" if place.heading else "",
        f"id {line(result.document_id)}",
        line(result.confidence) if result.confidence else "",
        f"lacks {' and '.join(map(quoted, result.lacks))}" if result.lacks else "",
        f"in the context of {result.context_of}" if result.context_of is not None else "",
    ]
    lines = [f"[{number}: {', '.join(filter(None, parts))}]"]
    if place.table_header:
        lines.append(header_row(place.table_header))
    context = result.context
    if context is None:
        return "\n".join([*lines, content(result.content)])
    goes_on = ", and the text goes on" if context.truncated else ""
    lines.append(f"[With its context, characters {context.char_start} to {context.char_end}{goes_on}.]")
    return "\n".join([*lines, content(context.text)])
