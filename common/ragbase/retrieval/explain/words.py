"""Which words of a question a document has, and where."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from ragbase.domain.errors import GenerationGone, PermanentError
from ragbase.domain.searched_text import with_small_letters
from ragbase.formats.decode import decode
from ragbase.ports import Bucket, Candidates, Hit
from ragbase.retrieval.bm25 import inverse_frequency
from ragbase.retrieval.explain.explanation import WordFigures
from ragbase.text.terms import terms_in

_RUN = re.compile(r"\S+")
_MARKS = re.compile(r"""[<>=/"'(){}\[\];,]""")
"""What stands between the words of markup and code."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What each term of a question is worth in one index. All together are worth 1."""

    shares: Mapping[str, float]

    @classmethod
    def of(cls, terms: Sequence[str], candidates: Candidates) -> Worth:
        worth = {term: inverse_frequency(candidates.passages, candidates.frequency.get(term, 0)) for term in terms}
        total = sum(worth.values())
        return cls({term: one / total for term, one in worth.items()})

    def without(self, terms: Collection[str]) -> Worth:
        """The shares of all other terms."""
        return Worth({term: share for term, share in self.shares.items() if term not in terms})

    def covered(self, terms: Iterable[str]) -> float:
        """The share of the worth that these terms have."""
        return sum(self.shares.get(term, 0.0) for term in set(terms))


def word_figures(
    worth: Worth, candidates: Candidates, hits: Sequence[Hit], in_file: Collection[str]
) -> list[WordFigures]:
    """The terms of a question in the chunks of a document, the most valuable first. `in_file` are the terms of its
    file; empty if they are not known."""
    chunks = Counter(term for hit in hits for term in set(hit.terms.split()) & worth.shares.keys())
    return [
        WordFigures(
            term=term,
            worth=share,
            passages=candidates.frequency.get(term, 0),
            chunks=chunks[term],
            in_file=None if chunks[term] or not in_file else term in in_file,
        )
        for term, share in sorted(worth.shares.items(), key=lambda one: -one[1])
    ]


def words_of_file(name: str, generation: int, bucket: Bucket) -> str:
    """All words of a file, those of its markup included; empty if it is not a text, or is no longer there."""
    try:
        text = decode(bucket.read(name, generation)).text
    except (GenerationGone, PermanentError):
        return ""
    return _MARKS.sub(" ", with_small_letters(unescape(text)))


def densest_span(text: str, worth: Worth, language: str, *, length: int) -> tuple[int, int, float] | None:
    """The piece of the text of at most `length` characters that has most of the question's worth, from its first to its
    last word of the question, and that share; None if the text has none of the words. Of equally good ones it is the
    shortest."""
    window: deque[tuple[int, int, list[str]]] = deque()
    counts: Counter[str] = Counter()
    best: tuple[int, int, float] | None = None
    for run in _RUN.finditer(text):
        terms = [term for term in terms_in(run[0], language) if term in worth.shares]
        if not terms:
            continue
        window.append((run.start(), run.end(), terms))
        counts.update(terms)
        while window and (window[-1][1] - window[0][0] > length or _repeats(window[0][2], counts)):
            counts.subtract(window.popleft()[2])
        if not window:
            continue
        covered = worth.covered(+counts)
        span = (window[0][0], window[-1][1])
        if best is None or (covered, best[1] - best[0]) > (best[2], span[1] - span[0]):
            best = (*span, covered)
    return best


def _repeats(terms: Sequence[str], counts: Counter[str]) -> bool:
    """Whether the window holds all of these terms elsewhere, too."""
    return all(counts[term] > number for term, number in Counter(terms).items())
