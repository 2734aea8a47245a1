"""Passages that several versions of a document have in common are one result: that of the version that leads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from ragbase.domain.version import DocumentVersion, version_of

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Hit
    from ragbase.retrieval.scoring import Score

_Scored = tuple["Hit", "Score"]

_NEARLY_ALL = 0.7
"""The share of a passage's pairs of words that another version's passage must have, to be shown in its place."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Puts groups of hits with the same text together, if they are the same passage in versions of one document.

    The version that the question names leads, otherwise the greatest (domain/version.py).
    """

    question: str
    documents: Mapping[str, Document]
    _families: dict[str, str] = field(default_factory=dict)
    _known: dict[str, tuple[bool, DocumentVersion]] = field(default_factory=dict)
    """Both by document: each has many passages."""

    def together(self, groups: Sequence[Sequence[_Scored]]) -> Iterator[list[_Scored]]:
        """The groups in their order. One that another has nearly whole follows that one's hits, and the leading version
        comes first. A version that is named takes the places of the others."""
        families: defaultdict[str, list[int]] = defaultdict(list)
        for place, group in enumerate(groups):
            families[self._family(group)].append(place)
        of_versions = {
            family: places for family, places in families.items() if len(places) > 1 and self._differ(groups, places)
        }
        ordered = list(groups)
        for places in of_versions.values():
            named = sorted(places, key=lambda place: not self._is_named(groups[place]))
            for place, taken in zip(places, named, strict=True):
                ordered[place] = groups[taken]
        shown: set[int] = set()
        for place, group in enumerate(ordered):
            if place not in shown:
                later = [other for other in of_versions.get(self._family(group), ()) if other > place]
                same = [other for other in later if other not in shown and self._is_same(group, ordered[other])]
                shown.update(same)
                yield self._led([group, *(ordered[other] for other in same)])

    def _family(self, group: Sequence[_Scored]) -> str:
        document = group[0][0].chunk.document_id
        family = self._families.get(document)
        if family is None:
            family = self._families[document] = version_of(self.documents[document])[0]
        return family

    def _differ(self, groups: Sequence[Sequence[_Scored]], places: Sequence[int]) -> bool:
        """Whether groups of one document have several versions of it."""
        hits = {groups[place][0][0].chunk.document_id: groups[place][0][0] for place in places}
        return len(hits) > 1 and len(set(map(self._precedence, hits.values()))) > 1

    def _is_named(self, group: Sequence[_Scored]) -> bool:
        return any(self._precedence(hit)[0] for hit, _ in group)

    def _is_same(self, group: Sequence[_Scored], other: Sequence[_Scored]) -> bool:
        """Whether both are the same passage in two versions: the one that leads has nearly all of the other."""
        following, leading = sorted((group[0][0], other[0][0]), key=self._precedence)
        if self._precedence(following) == self._precedence(leading):
            return False
        pairs = _pairs(following.chunk.text)
        return len(pairs & _pairs(leading.chunk.text)) >= _NEARLY_ALL * len(pairs)

    def _led(self, groups: Sequence[Sequence[_Scored]]) -> list[_Scored]:
        """The hits of all groups, those of the leading version of the first one's document first. A text that several
        versions have keeps the score of its best hit."""
        scored = [(hit, group[0][1]) for group in groups for hit, _ in group]
        if len(scored) == 1:
            return scored
        family, _ = version_of(self.documents[scored[0][0].chunk.document_id])
        ours = [one for one in scored if version_of(self.documents[one[0].chunk.document_id])[0] == family]
        lead = max(ours, key=lambda one: self._precedence(one[0]))
        return [lead, *(one for one in scored if one is not lead)]

    def _precedence(self, hit: Hit) -> tuple[bool, DocumentVersion]:
        document = hit.chunk.document_id
        known = self._known.get(document)
        if known is None:
            _, version = version_of(self.documents[document])
            known = self._known[document] = (version.is_named_in(self.question), version)
        return known


@lru_cache(maxsize=512)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    words = text.casefold().split()
    return frozenset(zip(words, words[1:] or words, strict=False))
