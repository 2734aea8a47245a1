"""Where the sentences of a text are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from ragbase.chunking.abbreviations import ends_no_sentence
from ragbase.chunking.boundaries import BLOCK, ITEM, SENTENCE
from ragbase.chunking.measured_text import with_line_feeds

_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t].*$", re.MULTILINE)
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INDENT = 100
"""Characters, at most, before the first cell of a row."""

_OTHER_SCRIPTS = re.compile(r"""[؟۔।॥။។៕։።][\"'”’»)\]]*\s*""")
"""Full stops and question marks of Arabic, Urdu, Hindi, Burmese, Khmer, Armenian and Amharic. A text is not cut there
when it is made into passages (boundaries.py): that would cut all texts of these scripts again."""
_CLOSING = re.compile(r"[*_`)\]»]+(?=\s|\Z)")
"""After a full stop of Chinese. Before a letter, or after a blank, these begin what follows: `*` marks an item."""
_NUMBER = re.compile(r"[ \t>]*\d{1,9}")
"""Of an item, from the beginning of its line."""
_TABLE_ROW = re.compile(r"\n(?=[ \t]*\|)")


def sentence_spans(text: str, cuts: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Where each sentence begins and ends, in order, without the blanks around it. A heading, a list item, a row of a
    table and a whole block of code are sentences, too. Each of the places `cuts` ends one.

    A full stop before a small letter ends none, as in "e.g. this one", nor does one in a row of a table, nor that of
    an abbreviation (abbreviations.py) or of an item's number.
    """
    text = with_line_feeds(text)
    blocks = code_spans(text)
    outside = (end for end in _ends(text) if not any(start < end < until for start, until in blocks))
    ends = sorted({0, *cuts, *chain(*blocks), *outside, len(text)})
    spans = (_without_blanks(text, start, end) for start, end in pairwise(ends))
    return [(start, end) for start, end in spans if start < end]


def code_spans(text: str) -> list[tuple[int, int]]:
    """Where each block of code begins and ends, with its fences. Not that of one whose beginning the text lacks."""
    return [match.span() for match in _CODE.finditer(text)]


def _ends(text: str) -> Iterator[int]:
    for heading in _HEADING.finditer(text):
        yield from heading.span()
    for pattern in (BLOCK, ITEM, _TABLE_ROW):
        yield from (match.end() for match in pattern.finditer(text))
    for pattern in (SENTENCE, _OTHER_SCRIPTS):
        for match in pattern.finditer(text):
            if not _goes_on(text, match) and not _is_in_row(text, match.start(), match.end()):
                closing = _CLOSING.match(text, match.end()) if not match[0][-1].isspace() else None
                yield closing.end() if closing is not None else match.end()


def _goes_on(text: str, end: re.Match[str]) -> bool:
    if text[end.end() : end.end() + 1].islower():
        return True
    is_full_stop = text[end.start()] == "." and end[0][1:2].isspace()
    return is_full_stop and (_numbers_an_item(text, end.start()) or ends_no_sentence(text, end.start(), end.end()))


def _numbers_an_item(text: str, full_stop: int) -> bool:
    return _NUMBER.fullmatch(text, text.rfind("\n", 0, full_stop) + 1, full_stop) is not None


def _is_in_row(text: str, start: int, end: int) -> bool:
    line = text.rfind("\n", 0, start) + 1
    return "\n" not in text[start:end] and text[line : line + _INDENT].lstrip(" \t").startswith("|")


def _without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
