"""The use case: answer a question from evidence, every sentence verified."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.answer import AnswerSentence, GeneratedAnswer
from ragbase.domain.chunk import embedding_text
from ragbase.domain.confidence import Confidence, surest
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.ports import Billed, DraftSentence, Generator
from ragbase.retrieval.asked_words import TextTerms, asked_words, lacking
from ragbase.retrieval.context import ChunksOf, EvidenceLimits, evidence_of
from ragbase.retrieval.draft_parts import drafted_by
from ragbase.retrieval.search_parts import found_for_parts, in_turns, limits_for, parts_of
from ragbase.retrieval.search_result import near_miss_of
from ragbase.retrieval.verify import Verifier
from ragbase.text.terms import analysed_in, terms_in

if TYPE_CHECKING:
    from ragbase.domain.conversation import Standalone
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.ports import ChatModel
    from ragbase.retrieval.search_result import SearchResult

AnswerPart = tuple[EvidencePassage, ...] | AnswerSentence | GeneratedAnswer
"""The evidence, then each sentence, then the whole answer."""


def answer(
    question: str,
    results: Sequence[SearchResult],
    *,
    generator: Callable[[], Generator],
    chunks_of: ChunksOf,
    limits: EvidenceLimits,
    language: str,
    within: SearchFilter | None = None,
    alone: Standalone | None = None,
    chat_model: Callable[[], ChatModel | None] = lambda: None,
) -> Iterator[AnswerPart]:
    """What these results answer, part by part as soon as it is known.

    Without results, no generator is asked or even made, and the answer has no information: it says what was nearest.
    `within` is the filter that the results were found with: a document that it refuses by now is not cited. `alone`
    says how the question was completed from its history. `chat_model`, if there is one, is asked for the words that
    answer.
    """
    evidence = evidence_of(in_turns(results), chunks_of=chunks_of, limits=limits_for(results, limits))
    yield evidence
    given = GeneratedAnswer(
        evidence=evidence,
        near_miss=near_miss_of(results),
        lacks=_lacking(results, evidence, analysed_in(question, language)),
        confidence=_confidence(results),
        parts=parts_of(results),
    )
    if alone is not None:
        given = replace(
            given,
            searched_for=alone.searched_for,
            input_tokens=alone.input_tokens,
            output_tokens=alone.output_tokens,
        )
    if evidence:
        verifier = Verifier(evidence, chunks_of, language, within)
        asked = generator()
        given = replace(given, model=asked.model)
        drafted = 0
        for part in drafted_by(asked, question[:MAX_QUERY_LENGTH], results, evidence):
            if isinstance(part, DraftSentence):
                sentence = verifier.verified(part)
                drafted += len(part.citations)
                given = replace(given, sentences=(*given.sentences, sentence))
                yield sentence
            else:
                given = _billed(given, part)
        from ragbase.retrieval.tell_missing import tell_missing  # words of 31 languages

        given = tell_missing(
            given,
            question,
            results,
            language=language,
            model=chat_model,
            is_completed=alone is not None and alone.follow_up is not None,
        )
        _log(given, drafted)
    yield given


def _confidence(results: Sequence[SearchResult]) -> Confidence | None:
    """That of the surest result. What is nearest, if there is none, is a near miss."""
    if results:
        return surest(one.level for one in results)
    return Confidence.NEAR_MISS if near_miss_of(results) is not None else None


def _lacking(results: Sequence[SearchResult], evidence: Sequence[EvidencePassage], spoken: str) -> tuple[str, ...]:
    """What all hits in the evidence lack, or all of a part, and their neighbours, too. The question is analysed in
    `spoken`."""
    lists = found_for_parts(results)
    return tuple(dict.fromkeys(word for one in lists for word in _lacking_in(one, evidence, spoken)))


def _lacking_in(results: Sequence[SearchResult], evidence: Sequence[EvidencePassage], spoken: str) -> tuple[str, ...]:
    chunks = {chunk.id: chunk for passage in evidence for chunk in passage.chunks}
    hits = [result for result in results if result.chunk.id in chunks]
    lacks = [word for word in hits[0].lacks if all(word in hit.lacks for hit in hits)] if hits else []
    if not lacks:
        return ()
    text = TextTerms(" | ".join(" ".join(terms_in(embedding_text(chunk), spoken)) for chunk in chunks.values()))
    return tuple(word for word in lacks if lacking(asked_words(word, terms_in(word, spoken), spoken), text))


def whole(parts: Iterator[AnswerPart]) -> GeneratedAnswer:
    """The answer when all of its parts are known."""
    *_, last = parts
    if not isinstance(last, GeneratedAnswer):
        raise TypeError("The last part is not the whole answer.")
    return last


def _billed(given: GeneratedAnswer, billed: Billed) -> GeneratedAnswer:
    return replace(
        given,
        input_tokens=given.input_tokens + billed.input_tokens,
        output_tokens=given.output_tokens + billed.output_tokens,
    )


def _log(given: GeneratedAnswer, drafted: int) -> None:
    telemetry.log(
        "answer.given",
        model=given.model,
        passages=len(given.evidence),
        sentences=len(given.sentences),
        supported=sum(one.supported for one in given.sentences),
        draft_citations=drafted,
        citations=sum(len(one.citations) for one in given.sentences),
        input_tokens=given.input_tokens,
        output_tokens=given.output_tokens,
    )
