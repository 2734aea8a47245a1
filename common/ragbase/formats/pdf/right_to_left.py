"""Words of scripts that are written from right to left, put into the order in which they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
PRESENTATION_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
"""Letters by the shape that they have in a word. Nobody types them into a search."""

LAM = "\u0644"
ALEFS = "\u0622\u0623\u0625\u0627\u0671"
SWAPPED_LAM_ALEF = re.compile(f"([{ALEFS}])({LAM})")


def mended(text: str, lefts: Sequence[float]) -> str:
    """A word as PDFium gives it, with its letters in the order of reading. `lefts` is where each letter begins.

    PDFium turns each run of such letters round, letter by letter. A ligature is one glyph of several letters, which
    stand at one place and are thereby in the wrong order. Alef never joins the letter after it, so a glyph of alef and
    lam is always the ligature of lam and alef.
    """
    if len(text) == len(lefts):
        letters = list(text)
        for index in range(len(letters) - 1):
            if letters[index] in ALEFS and letters[index + 1] == LAM and lefts[index] == lefts[index + 1]:
                letters[index : index + 2] = letters[index + 1], letters[index]
        text = "".join(letters)
    return PRESENTATION_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)


def is_right_to_left(words: Sequence[str]) -> bool:
    """Whether most letters of a line belong to such a script."""
    text = "".join(words)
    count = sum(1 for _ in RIGHT_TO_LEFT.finditer(text))
    return 2 * count > sum(map(str.isalpha, text))


def reading_order(words: Sequence[str]) -> list[int]:
    """The order in which the words of a line, given from left to right, are read, where most of it is right to left.

    Words of the other direction that stand together keep their order; numbers belong to what is around them.
    """
    order = list(range(len(words) - 1, -1, -1))
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and not RIGHT_TO_LEFT.search(words[order[end]]):
            end += 1
        order[start:end] = order[start:end][::-1]
        start = end + 1
    return order
