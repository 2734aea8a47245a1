"""The text of a page becomes chunks (docs/contracts/website-pipeline.md, section 3)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TypedDict

from ragbase.chunking.tokens import TOKENS
from ragbase.website_pipeline.fetch_and_parse import ParsedText

_LOG = logging.getLogger(__name__)
NO_HEADING = "No heading"


class TextChunk(TypedDict):
    """A piece of a page. `chunk_id` counts from 0, `position_in_page` too."""

    chunk_id: int
    source_url: str
    page_title: str
    heading_context: str
    text_content: str
    token_count: int
    position_in_page: int


def chunk_text(  # noqa: PLR0917 - the signature of the contract
    text: str,
    headings: list[tuple[str, str]],
    url: str,
    title: str,
    max_tokens: int = 512,
    overlap_tokens: int = 50,
) -> list[TextChunk]:
    """The sections of a page, from heading to heading, and a long one in pieces of `max_tokens` with an overlap.

    The headings of a ParsedText are where it says. In any other text, a heading is the next line that has its words;
    headings before the first of these stand above the text. The ids count from 0: `main` goes on across pages. Raises
    ValueError for an empty text, and for sizes with which no piece would end.
    """
    if not text.strip():
        raise ValueError(f"{url} has no text.")
    if max_tokens < 1 or not 0 <= overlap_tokens < max_tokens:
        raise ValueError(f"A chunk of {max_tokens} tokens cannot repeat {overlap_tokens} of the one before.")
    chunks: list[TextChunk] = []
    for context, section in _sections(text, headings, url):
        for piece in _pieces(section, max_tokens, overlap_tokens):
            number = len(chunks)
            chunks.append(
                TextChunk(
                    chunk_id=number,
                    source_url=url,
                    page_title=title,
                    heading_context=context,
                    text_content=piece,
                    token_count=TOKENS.count(piece),
                    position_in_page=number,
                )
            )
    return chunks


def _sections(text: str, headings: list[tuple[str, str]], url: str) -> Iterator[tuple[str, str]]:
    """The context and the text of each section that has a text."""
    h1 = h2 = ""
    context, begin = NO_HEADING, 0
    for (level, words), (start, end) in _places(text, headings):
        section = text[begin:start].strip()
        if section:
            yield context, section
        elif end and context != NO_HEADING:
            _warn(context, url)
        h1, h2 = (words, "") if level == "h1" else (h1, words)
        context, begin = " > ".join(filter(None, (h1, h2))), end
    if section := text[begin:].strip():
        yield context, section
    else:
        _warn(context, url)


def _warn(context: str, url: str) -> None:
    _LOG.warning("No text after heading: %s (%s)", context, url)


def _places(text: str, headings: list[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], tuple[int, int]]]:
    """The headings with where they begin and end. One above the text is at (0, 0)."""
    if isinstance(text, ParsedText):
        for heading, start in zip(headings, text.heading_starts, strict=True):
            yield heading, (start, start + len(heading[1]) if text.startswith(heading[1], start) else start)
        return
    lines = _lines(text)
    at = 0
    for heading in headings:
        words = heading[1].split()
        found = next((place for place in range(at, len(lines)) if lines[place][0] == words), None)
        if found is not None:
            yield heading, lines[found][1]
            at = found + 1
        elif at == 0:
            yield heading, (0, 0)


def _lines(text: str) -> list[tuple[list[str], tuple[int, int]]]:
    """The words of each line, with where it begins and ends."""
    lines, start = [], 0
    for line in text.splitlines(keepends=True):
        lines.append((line.split(), (start, start + len(line))))
        start += len(line)
    return lines


def _pieces(section: str, max_tokens: int, overlap_tokens: int) -> Iterator[str]:
    start = end = 0
    while end < len(section):
        stop = TOKENS.reach(section, start, max_tokens)
        if stop <= end:  # the overlap leaves no room for another character
            start, stop = end, max(TOKENS.reach(section, end, max_tokens), end + 1)  # it may have more tokens itself
        if (piece := section[start:stop]).strip():
            yield piece
        end = stop
        start = TOKENS.reach_back(section, end, overlap_tokens)
