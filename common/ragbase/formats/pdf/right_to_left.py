"""Words of scripts that are written from right to left, put into the order in which they are read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter

SHAPED = re.compile("[\u0590-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters of scripts whose fonts have many shapes for a letter, not all of which a file says the meaning of."""
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
PRESENTATION_FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]+")
"""Letters by the shape that they have in a word. Nobody types them into a search."""

LAM = "\u0644"
ALEFS = "\u0622\u0623\u0625\u0627\u0671"

PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›"}
CLOSED_BY = {**PAIRS, **{close: close for close in PAIRS.values()}}
OPENED_BY = {**{close: open_ for open_, close in PAIRS.items()}, **{open_: open_ for open_ in PAIRS}}
TURNED = {**PAIRS, **{close: open_ for open_, close in PAIRS.items()}}
BRACKETS = "".join(TURNED)
AFTER_WORD = BRACKETS + ".,:;!?\"'”’…،؛؟"
"""What may stand at the left of a word from left to right, and belongs behind it."""


NEAR = 0.2
"""Points: what stands so near begins at one place."""


def mended(text: str, lefts: Sequence[float]) -> str:
    """A word as PDFium gives it, with its letters in the order of reading. `lefts` is where each letter begins.

    PDFium turns each run of such letters round, letter by letter. A ligature is one glyph of several letters, which
    stand at one place and are thereby in the wrong order. Lam never comes after the alef of a ligature.
    """
    if len(text) == len(lefts):
        text, lefts = _with_marks_behind(text, lefts)
        letters: list[str] = []
        for _, group in groupby(zip(lefts, text, strict=True), key=itemgetter(0)):
            of_glyph = [letter for _, letter in group]
            letters_of_glyph = sum(map(str.isalpha, of_glyph))
            begins_with_mark = letters_of_glyph and unicodedata.combining(of_glyph[0])
            if begins_with_mark or (letters_of_glyph > 1 and not (of_glyph[0] == LAM and of_glyph[1] in ALEFS)):
                of_glyph.reverse()
            letters += of_glyph
        text = "".join(letters)
    return PRESENTATION_FORMS.sub(lambda form: unicodedata.normalize("NFKC", form[0]), text)


def _with_marks_behind(text: str, lefts: Sequence[float]) -> tuple[str, Sequence[float]]:
    """The letters with each mark behind the one over which it is drawn, as Unicode has it."""
    order = list(range(len(text)))
    for index in range(1, len(text) - 1):
        is_next = lefts[index] < lefts[index - 1] - NEAR and lefts[index] > lefts[index + 1] - NEAR
        if is_next and unicodedata.combining(text[index]) and text[index + 1].isalpha():
            order[index : index + 2] = index + 1, index
    return "".join(text[index] for index in order), [lefts[index] for index in order]


def without_far_brackets(text: str, lefts: Sequence[float], rights: Sequence[float], far: float) -> tuple[int, int]:
    """Where a word begins and ends without brackets at its ends that stand apart from it: of another word, in truth."""
    start, end = 0, len(text)
    while start < end - 1 and text[start] in TURNED and _gap(lefts, rights, start, start + 1) > far:
        start += 1
    while end - 1 > start and text[end - 1] in TURNED and _gap(lefts, rights, end - 2, end - 1) > far:
        end -= 1
    return start, end


def _gap(lefts: Sequence[float], rights: Sequence[float], one: int, other: int) -> float:
    return max(lefts[other] - rights[one], lefts[one] - rights[other])


def as_seen(text: str, lefts: Sequence[float]) -> str:
    """A word from left to right, on a page with others, in the order in which its letters are seen: PDFium may put the
    signs at its left behind it."""
    if len(text) != len(lefts) or not any(one > next_ for one, next_ in pairwise(lefts)):
        return text
    return "".join(text[index] for index in sorted(range(len(text)), key=lambda index: lefts[index]))


def read_line(words: Sequence[str], touching: Sequence[bool]) -> tuple[str, list[tuple[int, int, int]]]:
    """A line whose words are given from left to right, as it is read from right to left, and where each word, by its
    place in `words`, begins and ends in it. `touching` says of each word but the first whether no space is before it.
    """
    order = reading_order(words)
    texts = list(words)
    for run in _left_to_right_runs(words, order):
        _move_signs(texts, run)
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    place = 0
    for number, index in enumerate(order):
        before = order[number - 1] if number else -2
        if parts and not (abs(before - index) == 1 and touching[max(before, index) - 1]):
            parts.append(" ")
            place += 1
        parts.append(texts[index])
        places.append((index, place, place + len(texts[index])))
        place += len(texts[index])
    return " ".join(map(_with_brackets, "".join(parts).split(" "))), places


def _left_to_right_runs(words: Sequence[str], order: Sequence[int]) -> Iterator[list[int]]:
    for is_run, group in groupby(order, key=lambda index: not RIGHT_TO_LEFT.search(words[index])):
        if is_run:
            yield list(group)


def _move_signs(texts: list[str], run: Sequence[int]) -> None:
    """Signs around words from left to right stand where the line goes on: those at their left are read behind them."""
    first, last = run[0], run[-1]
    if not any(any(map(str.isalnum, texts[index])) for index in run):
        return
    body = texts[first].lstrip(AFTER_WORD)
    behind = texts[first][: len(texts[first]) - len(body)][::-1]
    texts[first] = body
    body = texts[last].rstrip(BRACKETS)
    before = texts[last][len(body) :][::-1]
    texts[last] = body + behind
    texts[first] = before + texts[first]


def _with_brackets(word: str) -> str:
    """Brackets open at the beginning of a word and close at its end. Files differ in whether they name what is seen
    there, or what is meant, and PDFium turns the ones or the others the wrong way."""
    letters = [index for index, character in enumerate(word) if character.isalnum()]
    if not letters or not any(character in TURNED for character in word):
        return word
    start, end = letters[0], letters[-1] + 1
    head = "".join(OPENED_BY.get(character, character) for character in word[:start])
    tail = "".join(CLOSED_BY.get(character, character) for character in word[end:])
    middle = word[start:end]
    if (head, tail) != (word[:start], word[end:]) and RIGHT_TO_LEFT.search(word):
        middle = "".join(TURNED.get(character, character) for character in middle)
    return head + middle + tail


def share_of_right_to_left(text: str) -> float:
    """Of the letters of a text."""
    if text.isascii() or not RIGHT_TO_LEFT.search(text):
        return 0.0
    return sum(1 for _ in RIGHT_TO_LEFT.finditer(text)) / max(sum(map(str.isalpha, text)), 1)


def is_right_to_left(words: Sequence[str]) -> bool:
    """Whether most letters of a line belong to such a script."""
    return share_of_right_to_left("".join(words)) > 0.5


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
