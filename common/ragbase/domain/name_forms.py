"""The forms of a name. Unicode can write one name in several ways that look alike and mean the same: "é" is one
character or two. All of them name one document, and its name is the normal form NFC of each.

Characters that only resemble each other stay different: that would be NFKC (https://unicode.org/reports/tr15/).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, product

_FIRST_MARK = "\u0300"
"""No character that continues another one, when both are put together, stands before it."""
_MOST_FORMS = 16
"""Forms of one name that are looked for by their ids: all of four parts, each of which is in NFC or NFD."""
_LAST_DECOMPOSED = 0x2FA1D
"""The last character that NFC replaces (CJK compatibility ideographs)."""


def nfc(name: str) -> str:
    """The name of the document that this names."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def nfd(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFD", name)


def precedence(name: str) -> tuple[bool, bool, str]:
    """Of objects whose names are forms of one name, the first by this counts: the one in NFC, or else the one in NFD,
    or else the first by code points."""
    return name != nfc(name), name != nfd(name), name


def older_forms(name: str) -> Sequence[str]:
    """The forms in which a version that told forms apart mostly knew the name: each part between slashes is in NFC or
    NFD. The name itself is among them only if it is not in NFC: then it stands first."""
    plain = nfc(name)
    if plain.isascii() and name == plain:
        return ()
    parts = [dict.fromkeys((nfd(part), part)) for part in plain.split("/")]
    mixed = islice(product(*parts), _MOST_FORMS)
    return [one for one in dict.fromkeys((name, *("/".join(parts) for parts in mixed))) if one != plain]


def stored_forms(folders: Iterable[str]) -> Sequence[str]:
    """How the names of documents in these folders, which are in NFC, may begin: an older version kept names as they
    came, mostly in NFD."""
    return list(dict.fromkeys(form for folder in folders for form in (folder, nfd(folder))))


def has_other_forms(name: str) -> bool:
    """Whether something else is a form of this name, too."""
    return ranges(name) != ((nfc(name), ""),)


def ranges(prefix: str) -> tuple[tuple[str, str], ...]:
    """Where a listing by code points has the names that begin with a form of this prefix: those that begin with the
    first text of a pair and come after its second, in order. A few others are there, too."""
    return _ranges(nfc(prefix))


@lru_cache(maxsize=1024)
def _ranges(prefix: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for start, end in _clusters(prefix):
        before, cluster = prefix[:start], prefix[start:end]
        begins = _beginnings(cluster)
        if cluster.isascii():
            found |= {before + one: "" for one in begins if one != cluster}
        elif begins != {cluster}:
            base = nfd(cluster)[0]
            for one in begins:
                is_base = one == base and one != cluster
                # What follows the base alone is a mark.
                found[before + one] = f"{before}{base}{chr(ord(_FIRST_MARK) - 1)}" if is_base else ""
            break
    else:
        found[prefix] = ""
    return tuple(sorted(found.items()))


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Where each character begins and ends, with the marks that follow it."""
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or not unicodedata.combining(text[place]):
            yield start, place
            start = place


def _beginnings(cluster: str) -> set[str]:
    """The first characters of the forms of a character with its marks. If it has no other form, that is itself."""
    base, *marks = list(nfd(cluster))
    few = [several for count in range(len(marks) + 1) for several in combinations(marks[:4], count)]
    begins = {unicodedata.normalize("NFC", base + "".join(several))[0] for several in few}
    if not cluster.isascii():
        begins.add(cluster[0])
    return begins | {
        other
        for one in tuple(begins)
        for other in _replaced().get(one, ())
        if all(mark in marks for mark in nfd(other)[1:] if unicodedata.combining(mark))
    }


@lru_cache(maxsize=1)
def _replaced() -> dict[str, list[str]]:
    """The characters that NFC replaces, by the first character that it puts there: Å for the sign of the ångström."""
    found: dict[str, list[str]] = {}
    for code in range(_LAST_DECOMPOSED + 1):
        character = chr(code)
        plain = unicodedata.normalize("NFC", character)
        if plain != character:
            found.setdefault(plain[0], []).append(character)
    return found
