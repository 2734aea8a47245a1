"""The part of a passage that is shown beside a question."""

from __future__ import annotations

import re

from ragbase.analysis import analyse
from ragbase.interfaces.cli.screen import flowing

WIDTH = 280
"""Characters, about three lines of a terminal."""

_ENDS = re.compile(r"(?<=[^\d\s][.!?:])\s+|\n\s*\n|\n(?=[-*|]|\d+\. )")
_HEADINGS = re.compile(r"^#{1,6} .*$", re.MULTILINE)


def excerpt(text: str, query: str, *, language: str, width: int = WIDTH) -> str:
    """As many whole sentences as fit, starting at the one from which on most of the query's words are met.

    Headings are left out: they are shown beside the passage's name.
    """
    wanted = set(analyse(query, language))
    sentences = _sentences(_HEADINGS.sub("", text)) or _sentences(text)
    met = [len(wanted.intersection(analyse(sentence, language))) for sentence in sentences]
    windows = [_window(sentences[start:], width) for start in range(len(sentences))]
    reached = [len(wanted.intersection(analyse(window, language))) for window in windows]
    best = max(zip(reached, met, windows, strict=True), key=lambda candidate: candidate[:2], default=(0, 0, ""))[2]
    return best if len(best) <= width else best[: width - 1].rstrip() + "…"


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in map(flowing, _ENDS.split(text)) if sentence]


def _window(sentences: list[str], width: int) -> str:
    taken = sentences[0]
    for sentence in sentences[1:]:
        if len(taken) + 1 + len(sentence) > width:
            break
        taken += " " + sentence
    return taken
