"""Ask a generator for the answer to a question of one part or several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragbase.ports import Billed, DraftSentence, Generator
from ragbase.ports.generator import QuotingGenerator
from ragbase.retrieval.search_parts import PartResults

if TYPE_CHECKING:
    from ragbase.domain.evidence import EvidencePassage
    from ragbase.retrieval.search_result import SearchResult


def drafted_by(
    generator: Generator, question: str, results: Sequence[SearchResult], evidence: Sequence[EvidencePassage]
) -> Iterator[DraftSentence | Billed]:
    """What the generator says to the question. It is not asked about a part that no passage covers.

    A generator that quotes is asked about each part with the evidence of that part alone, and what it says twice comes
    once. Any other one costs time or money: it is asked once about all parts.
    """
    if not isinstance(results, PartResults):
        yield from generator.generate(question, evidence)
        return
    covered = [part.text for part in results.parts if part.covered]
    if not isinstance(generator, QuotingGenerator):
        yield from generator.generate("\n".join(covered), evidence)
        return
    said = set[DraftSentence]()
    for part, found in zip(results.parts, results.found, strict=False):
        if own := own_evidence(found, evidence):
            for sentence in generator.generate(part.text, own):
                if not isinstance(sentence, DraftSentence) or sentence not in said:
                    yield sentence
                if isinstance(sentence, DraftSentence):
                    said.add(sentence)


def own_evidence(found: Sequence[SearchResult], evidence: Sequence[EvidencePassage]) -> list[EvidencePassage]:
    """The evidence that a part has found, also where another document has the same text."""
    chunks = {source.chunk.id for one in found for source in one.sources}
    return [passage for passage in evidence if any(chunk.id in chunks for chunk in passage.chunks)]
