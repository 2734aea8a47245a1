"""Whether a sentence is as firm as the place that it cites: must, may, should, always, only, at least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ragbase.domain.answer import Unsupported
from ragbase.retrieval.meaning.clauses import Terms, about, clauses_of
from ragbase.retrieval.meaning.numbers import numbers_in
from ragbase.retrieval.meaning.read_text import ReadText
from ragbase.retrieval.meaning.words import BOUNDS, bounds, modal_words

_FORCE = ("forbidden", "optional", "required", "should", "must", "may")
"""In the order in which they are looked for: "may" stands in "may not", and "must" in none of the others."""
_OTHER = (("always", "sometimes"), ("only", "also"))
_AGREE = frozenset({frozenset({"may", "optional"})})
_DENIED = {"may": "forbidden", "required": "optional", "forbidden": "may", "optional": "must", "must": "forbidden"}
_LIFTED_BY_DENIAL = frozenset(["de", "pl", "cs", "id", "ro", "tr", "ja", "ko"])
"""Languages in which "must not" lifts an obligation: muss nicht, nie musi."""
_DENIAL_ANYWHERE = frozenset(["de", "nl", "tr", "hi", "ja", "zh", "ko"])
"""Languages whose negation may stand far from the verb."""
_NEAR_BEFORE = 24
_NEAR_AFTER = 12
"""Characters between a modal word and its negation elsewhere."""


@dataclass(frozen=True, slots=True)
class _Clause:
    terms: frozenset[str]
    kinds: frozenset[str]


def disagreements(sentence: ReadText, place: ReadText, terms_of: Terms) -> Iterator[Unsupported]:
    """Whether a clause of the sentence says "must" where the clause of the place about the same says "may", or "at
    least" where it says "at most", or the like. A clause without such a word says nothing."""
    if not any(words.search(sentence.text) for words in modal_words(sentence.language.code).values()):
        return
    pairs = list(_pairs(sentence, place, terms_of))
    if any(_differ(ours, theirs) for ours, theirs in pairs):
        yield Unsupported.MODALITY
    if any(_disjoint(ours, theirs, BOUNDS) for ours, theirs in pairs):
        yield Unsupported.DIRECTION


def _pairs(sentence: ReadText, place: ReadText, terms_of: Terms) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The kinds of each clause of the sentence, and those of the clauses of the place about the same."""
    ours = list(_clauses(sentence, terms_of))
    if not any(clause.kinds for clause in ours):
        return
    held = list(_clauses(place, terms_of))
    with_kinds = [clause for clause in held if clause.kinds]
    for clause in ours:
        found = about(clause, held) or (with_kinds if len(held) == 1 else [])
        kinds = frozenset[str]().union(*(one.kinds for one in found))
        if clause.kinds and kinds:
            yield clause.kinds, kinds


def _clauses(reading: ReadText, terms_of: Terms) -> Iterator[_Clause]:
    for text in clauses_of(reading.without_dates, reading.language):  # "May" is a month there
        yield _Clause(terms_of(text), frozenset(_kinds(text, reading)))


def _kinds(text: str, reading: ReadText) -> Iterator[str]:
    words, denies = modal_words(reading.language.code), reading.language.denies
    for kind in ("always", "sometimes", "only", "also") if words else ():
        if words[kind].search(text):
            yield kind
    if (bound := bounds(reading.language.code)) is not None:
        found = list(bound.finditer(text)) if numbers_in(text, reading.language.code) else []
        text = bound.sub(" ", text)
        is_denied = bool(found) and denies.search(text) is not None
        for match in found:
            yield BOUNDS[(match.lastgroup == BOUNDS[0]) is is_denied]
        if found:
            text = denies.sub(" ", text)  # "may not be larger than 5" is "may be 5 at most"
    for kind in _FORCE if words else ():
        for match in words[kind].finditer(text):
            yield _force(kind, text, match.start(), match.end(), reading)
        text = words[kind].sub(lambda match: " " * len(match[0]), text)


def _force(kind: str, text: str, start: int, end: int, reading: ReadText) -> str:
    code = reading.language.code
    if code in _DENIAL_ANYWHERE:
        near = f"{text[:start]} {text[end:]}"
    else:
        near = f"{text[max(0, start - _NEAR_BEFORE) : start]} | {text[end : end + _NEAR_AFTER]}"
    is_denied = reading.language.denies.search(near) is not None
    if is_denied and kind == "must" and code in _LIFTED_BY_DENIAL:
        return "optional"
    kind = _DENIED.get(kind, kind) if is_denied else kind
    return "must" if kind == "required" else kind


def _differ(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    our_force, their_force = ours & {*_FORCE}, theirs & {*_FORCE}
    agrees = bool(our_force & their_force) or any({one, other} in _AGREE for one in our_force for other in their_force)
    is_other_force = bool(our_force and their_force) and not agrees
    return is_other_force or any(_disjoint(ours, theirs, kinds) for kinds in _OTHER)


def _disjoint(ours: frozenset[str], theirs: frozenset[str], kinds: tuple[str, str]) -> bool:
    one, other = ours & {*kinds}, theirs & {*kinds}
    return bool(one and other) and not one & other
