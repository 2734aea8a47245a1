"""Search results and answers as a person reads them: where a passage is, how sure ragbase is, and what it says.

A document may say `score 1.00` or `also in policy.pdf`. So the lines that are its words have a bar in front, whatever
the width of the terminal, and no bracket of a sentence looks like the number of a citation."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from ragbase.interfaces.cli.excerpt import excerpt
from ragbase.interfaces.cli.screen import flowing, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ragbase.messages.api.answer import AnswerSentenceBody, EvidencePassageBody, VerifiedCitationBody
    from ragbase.messages.api.chunk_metadata import ChunkMetadata
    from ragbase.messages.api.query import ResultSourceBody, SearchResultBody
    from ragbase.messages.api.question_parts import QuestionPartBody

_READABLE = 100
"""Characters of the longest line that is easy to read."""

_SAID = "   │ "
_LIKE_A_NUMBER = re.compile(r"\[(?=\d+\])")


class AnswerText:
    """An answer, part by part. Citations have numbers, in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[VerifiedCitationBody, int] = {}

    def sentence(self, sentence: AnswerSentenceBody) -> str:
        """The sentence, with the numbers of its citations."""
        shown = "".join(f"[{self._numbers.setdefault(one, len(self._numbers) + 1)}]" for one in sentence.citations)
        said = _LIKE_A_NUMBER.sub(r"\\[", flowing(sentence.text))
        text = said if sentence.supported else f"{said} ({_unverified(sentence)})"
        return f"{text} {shown}".rstrip()

    def places(self) -> str:
        """The places that the numbers so far mean."""
        return "\n\n".join(
            "\n".join(
                (f"{number}. {_place(one)}", f"   {_position(one.metadata)}", *_wrapped(flowing(one.text), len(_SAID)))
            )
            for one, number in self._numbers.items()
        )


def _unverified(sentence: AnswerSentenceBody) -> str:
    """With what its citations lack or say otherwise, if it has some that hold."""
    reasons = [one for one in sentence.unsupported_because or () if one != "citation"]
    return f"not verified: {visible(', '.join(reasons))}" if reasons else "not verified"


def passages_text(evidence: Sequence[EvidencePassageBody], query: str) -> str:
    """The passages that an answer was written from, best first, each with its place."""
    return "\n\n".join(
        "\n".join(
            (
                f"{rank}. {_place(one)}",
                f"   score {one.score:.2f}, {_position(one.metadata)}",
                *_wrapped(excerpt(one.content, query), len(_SAID)),
            )
        )
        for rank, one in enumerate(evidence, 1)
    )


def lines_of_parts(parts: Iterable[QuestionPartBody]) -> Iterator[str]:
    """A line for each part of a question that the documents do not answer."""
    for part in parts:
        if part.missing is not None:
            yield flowing(part.missing.text)
        elif part.searched is False:
            yield f"Not searched for, ask it alone: {flowing(part.text)}"
        elif not part.covered:
            yield f"The documents do not answer: {flowing(part.text)}"


def result_text(rank: int, result: SearchResultBody, query: str, *, indent: str = "") -> str:
    """Three lines (a terminal gets the last one wrapped), one more for what the document says of itself, and one for
    every other place with the same text."""
    first, *others = result.sources
    about = _about(first)
    lines = [
        f"{rank}. {_place(first)}",
        *([f"{_SAID}{about}"] if about else []),
        f"   score {result.score:.2f}{_confidence(result)}, {_position(first.metadata)}{_lacks(result)}",
        *_wrapped(_shown(result, query), len(indent) + len(_SAID)),
    ]
    lines += [f"   also in {_place(other)}, {_position(other.metadata)}" for other in others]
    lines += _context(result, len(indent) + len(_SAID))
    return textwrap.indent("\n".join(lines), indent)


def _context(result: SearchResultBody, margin: int) -> list[str]:
    """What stands around the passage, line by line."""
    context = result.context
    if context is None:
        return [f"   its context is that of {result.context_of}"] if result.context_of is not None else []
    cut = ", cut" if context.truncated else ""
    written = filter(str.strip, context.text.splitlines())
    said = [line for one in written for line in _wrapped(flowing(one), margin)]
    return [f"   context, characters {context.char_start:,}–{context.char_end:,}{cut}", *said]


def _shown(result: SearchResultBody, query: str) -> str:
    """The part of the passage that is shown; rows of a table stand after their header row."""
    part = excerpt(result.content, query)
    header = flowing(result.metadata.table_header or "")
    return f"{header} {part}" if header else part


def _wrapped(text: str, margin: int) -> list[str]:
    if not sys.stdout.isatty():
        return [f"{_SAID}{text}"]
    width = min(shutil.get_terminal_size().columns - margin, _READABLE)
    return [f"{_SAID}{line}" for line in textwrap.wrap(text, max(width, _READABLE // 4))]


def _place(source: ResultSourceBody | VerifiedCitationBody | EvidencePassageBody) -> str:
    name = click.style(visible(source.filename), bold=True)
    heading = source.metadata.heading
    return f"{name} > {visible(heading)}" if heading else name


def _about(source: ResultSourceBody) -> str:
    """Title, date, tags and address, as far as the document has them."""
    said = source.document_metadata
    if said is None:
        return ""
    return " · ".join(visible(text) for text in (said.title, said.date, ", ".join(said.tags or ()), said.url) if text)


def _confidence(result: SearchResultBody) -> str:
    """In a word. An older server has none."""
    return f" ({visible(result.confidence)})" if result.confidence else ""


def _lacks(result: SearchResultBody) -> str:
    return f", lacks {visible(' and '.join(result.lacks))}" if result.lacks else ""


def _position(place: ChunkMetadata) -> str:
    page = f"page {place.page}, " if place.page is not None else ""
    row = f"row {place.row:,}, " if place.row is not None else ""
    return f"{page}{row}characters {place.char_start:,}–{place.char_end:,}"
