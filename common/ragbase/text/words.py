"""A run of characters without blanks to its words, in every script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ragbase.domain.searched_text import JOINERS, NEVER_SEEN
from ragbase.text.identifiers import SIGNS, Node, nodes_of
from ragbase.text.scripts import MARKS, NO_BLANKS, SPACED

_HYPHENS = "\u2010\u2011\ufe63\uff0d"
_WIDE = "\uff0e\uff0f\uff20"  # the full stop, the slash and the @ of texts in Chinese and Japanese
_WITHIN_WORDS = ".'’+#·״׳"
_NUMBERED = "§№"
RUN = rf"(?:[{_NUMBERED}][ \u00a0\u202f]?)?\w[\w{_WITHIN_WORDS}{SIGNS}{_HYPHENS}{_WIDE}{NEVER_SEEN}{JOINERS}{MARKS}]*"
"""What may be one word, as a regular expression. `nodes_in` looks closer."""
ASCII_SIGNS = ".'+#-/@:\\"
"""What RUN has in ASCII beside letters and digits."""

_STARTS = ".'+#-/@:\\"
_ENDS = ".'’-/@:\\·״׳"
# Letters that nobody sees are in the words around them, too.
_unseen = re.compile(rf"[{NEVER_SEEN}]+")
_joiners = re.compile(rf"[{JOINERS}]+")
_has_joiner = _joiners.search
_PARTED = "\u200c"  # the joiner of Persian words: most parts are words themselves
# Letters of Malayalam and Bengali that older texts write as a letter, a virama and a joiner (Unicode Standard, 12.9).
_WITH_JOINER = tuple(
    (f"{plain}{virama}\u200d", letter)
    for virama, plains, letters in (("\u0d4d", "ണനരലളക", "ൺൻർൽൾൿ"), ("\u09cd", "ত", "ৎ"))
    for plain, letter in zip(plains, letters, strict=True)
)
_ARABIC = re.compile("[\u0600-\u08ff]")
_digit_elsewhere = re.compile(r"(?![0-9])\d")
# The apostrophe of Ukrainian, the quotation mark of Hebrew short forms and the dot of Catalan are in a word. Many leave
# them out.
_has_inner_sign = re.compile("['\u02bb\u02bc״׳·]").search
_within = re.compile(r"(?<=[\u0400-\u052f])['\u02bc](?=[\u0400-\u052f])|(?<=[א-ת])['״׳](?=[א-ת])|(?<=[Ll])·(?=[Ll])")
_span = re.compile(
    rf"(?P<unspaced>[{NO_BLANKS}][{NO_BLANKS}{JOINERS}]*)|(?:{SPACED})(?:{SPACED}|[{re.escape(_WITHIN_WORDS)}{SIGNS}{JOINERS}])*"
)


def nodes_in(run: str) -> Iterable[Node]:
    """The words in lower case, each identifier before its parts."""
    plain = run.strip(_ENDS)
    if plain.isascii():
        if plain.isalpha() and (plain.islower() or plain.istitle()):  # most runs
            return ((0, plain.lower()),)
        return nodes_of(plain.lstrip(_STARTS))
    if plain[0] in _NUMBERED:
        return _clause(plain[0], plain[1:].strip())
    return _nodes_within(plain)


def _clause(sign: str, number: str) -> Iterator[Node]:
    """§ 12a is another one than 12a."""
    nodes = list(_nodes_within(number))
    inside = 0
    if nodes and nodes[0][1][0].isdigit():
        yield 0, f"{sign}{nodes[0][1]}"
        inside = 1
    yield from ((depth + inside, word) for depth, word in nodes)


def _nodes_within(run: str) -> Iterator[Node]:
    run = unicodedata.normalize("NFKC", run).replace("’", "'").replace("\u2010", "-")
    if _digit_elsewhere.search(run):
        run = _digit_elsewhere.sub(lambda digit: str(unicodedata.digit(digit[0])), run)
    if "\u200d" in run:
        for joined, letter in _WITH_JOINER:
            run = run.replace(joined, letter)
    run = _unseen.sub("", run)
    if _has_joiner(run) and not (_PARTED in run and _ARABIC.search(run)):
        run = _joiners.sub("", run)
    if _has_inner_sign(run):
        run = _within.sub("", run).replace("\u02bb", "'").replace("\u02bc", "'")  # as Uzbek is typed
    for match in _span.finditer(run):
        if match["unspaced"]:
            text = _joiners.sub("", match[0])
            yield from [(0, text[i : i + 2]) for i in range(max(1, len(text) - 1))]
        else:
            text = match[0].strip(_ENDS)
            yield from nodes_of(_joiners.sub("", text))
            if _PARTED in text:
                parts = [part for part in _joiners.split(text) if part]
                for part in parts if len(parts) > 1 else ():
                    yield from nodes_of(part)
