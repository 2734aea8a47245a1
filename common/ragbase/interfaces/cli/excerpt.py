"""The part of a passage that a search result shows."""

from __future__ import annotations

import re

from ragbase.interfaces.cli.screen import flowing
from ragbase.text.diacritics import unmarked
from ragbase.text.terms import analysed_together, terms_in

WIDTH = 280
"""Characters, about three lines of a terminal."""

_UNCLEAR = "english"
"""The language of a question and a passage that are both too short to show theirs."""
_ENDS = re.compile(r"(?<=[^\d\s][.!?:])\s+|\n\s*\n|\n(?=[-*|]|\d+\. )")
_HEADINGS = re.compile(r"^#{1,6} .*$", re.MULTILINE)


def excerpt(text: str, query: str, *, width: int = WIDTH) -> str:
    """As many whole sentences as fit, from the start that gives the most words of the query.

    Headings are left out: a result shows them next to the document's name.
    """
    spoken = analysed_together((query, text), _UNCLEAR)
    wanted = _words(query, spoken)
    sentences = _sentences(_HEADINGS.sub("", text)) or _sentences(text)
    met = [len(wanted & _words(sentence, spoken)) for sentence in sentences]
    windows = [_window(sentences[start:], width) for start in range(len(sentences))]
    reached = [len(wanted & _words(window, spoken)) for window in windows]
    best = max(zip(reached, met, windows, strict=True), key=lambda candidate: candidate[:2], default=(0, 0, ""))[2]
    return best if len(best) <= width else best[: width - 1].rstrip() + "…"


def _words(text: str, spoken: str) -> set[str]:
    """Without marks: a question that is typed without them finds words that have them."""
    return set(map(unmarked, terms_in(text, spoken)))


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in map(flowing, _ENDS.split(text)) if sentence]


def _window(sentences: list[str], width: int) -> str:
    taken = sentences[0]
    for sentence in sentences[1:]:
        if len(taken) + 1 + len(sentence) > width:
            break
        taken += " " + sentence
    return taken
