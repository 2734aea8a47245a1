"""Numbers that go as the numbers of pages do, and the words that stand with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ARABIC, ROMAN = "arabic", "roman"

FARTHEST = 30
"""How far a number within a text may be from its page's: pages in front of the first one, or a document's beginning
that is not there. Farther ones are rather the numbers of invoices, one a page."""
LONGEST_NUMBER = 24
"""Characters of a number with what stands around it."""

_PAGE = """
page pages pag pág pg p pp seite s blatt folio fol página páginas pagina pagine trang стр страница страници с лист
сторінка σελίδα σελ صفحة صفحه ص עמוד דף पृष्ठ หน้า 第 页 頁 页共 頁共 共 ページ 쪽 페이지 면 sida sid side sivu strona str
strana stránka oldal sayfa halaman hal lk lehekülg lpp lapa puslapis psl stranica slide folie sheet bladzijde blz
pàgina
"""
_OF = "of von de di da do sur su van av af z ze od iz из із з від από trên dari מתוך من از จาก 中 の"
_ID = """
no nos nr nº n° n num number nummer numero número numéro номер id ref số رقم מספר 号 號 番号 번호 code código codice
kod код
"""
PAGE_WORDS, OF_WORDS, ID_WORDS = frozenset(_PAGE.split()), frozenset(_OF.split()), frozenset(_ID.split())
"""What stands with the number of a page, between it and the number of pages, and with other numbers."""

_DECORATION = "-–—|·•.()[]/~*_ \t"
_LETTERS = re.compile(r"[^\W\d_]+[°º]?|№|#|§")
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d{1,5}\Z")
_ROMAN = re.compile(r"(?=[ivxlc])(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})\Z")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class PageNumber:
    value: int
    kind: str
    is_last: bool = True


def number_alone(text: str) -> PageNumber | None:
    """The number of a text that has nothing else but signs around it, as in "- 12 -" or "xiv"."""
    return _number(text.strip(_DECORATION)) if len(text) <= LONGEST_NUMBER else None


def number_at_end(text: str) -> Iterator[tuple[PageNumber, str]]:
    """The numbers that are the first and the last word of a text, each with the rest of it."""
    words = text.split()
    if len(words) < 2:
        return
    for at, rest in ((0, words[1:]), (-1, words[:-1])):
        number = _number(words[at].strip("|·•[]()–—"))
        if number is not None:
            yield PageNumber(number.value, number.kind, is_last=at == -1), " ".join(rest)


def _number(text: str) -> PageNumber | None:
    if _NUMBER.match(text):
        return PageNumber(int(text), ARABIC)
    small = text.lower()
    if small and text in (small, text.upper()) and _ROMAN.match(small):
        values = [_VALUES[letter] for letter in small]
        after = [*values[1:], 0]
        return PageNumber(sum(-one if one < next_ else one for one, next_ in zip(values, after, strict=True)), ROMAN)
    return None


def is_page_label(text: str) -> bool:
    """Whether a text says no more than which page this is, and perhaps of how many."""
    if len(text) > LONGEST_NUMBER:
        return False
    numbers = [int(digits) for digits in _DIGITS.findall(text)]
    words = _LETTERS.findall(text.casefold())
    return (
        1 <= len(numbers) <= 2
        and numbers[0] <= numbers[-1]
        and any(word in PAGE_WORDS for word in words)
        and all(word in PAGE_WORDS or word in OF_WORDS for word in words)
    )


def counts_pages(rest: str, distance: int, *, is_last: bool, is_apart: bool) -> bool:
    """Whether a number may be a page's, which stands with this text at this distance from the page's index.

    `is_last` means that the number comes after the text, `is_apart` that a wide space is between them. A number
    after one word is a heading ("Lesson 3"), after a colon or a word for numbers the value of a field.
    """
    words = _LETTERS.findall(rest.casefold())
    if any(word in PAGE_WORDS for word in words if len(word) > 1):
        return True
    if abs(distance) > FARTHEST and not (is_apart and len(words) > 1):
        return False
    last = words[-1] if words else ""
    if is_last and (rest.rstrip(" .")[-1:] in ":#=№§$€£¥" or last in ID_WORDS):
        return False
    return len(words) > 1 or (is_apart and len(words) == 1)
