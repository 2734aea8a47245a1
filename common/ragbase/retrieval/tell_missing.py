"""Say in an answer what its evidence does not hold: of the question, or of each of its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.domain.answer import GeneratedAnswer, QuestionPart
from ragbase.domain.confidence import Confidence, at_most
from ragbase.retrieval.draft_parts import own_evidence
from ragbase.retrieval.missing_answer import missing_answer
from ragbase.retrieval.quoted_answer import quoted_answer
from ragbase.retrieval.search_parts import PartResults

if TYPE_CHECKING:
    from ragbase.domain.evidence import EvidencePassage
    from ragbase.ports import ChatModel
    from ragbase.retrieval.search_result import SearchResult


def tell_missing(
    given: GeneratedAnswer,
    question: str,
    results: Sequence[SearchResult],
    *,
    language: str,
    model: Callable[[], ChatModel | None] = lambda: None,
    is_completed: bool = False,
) -> GeneratedAnswer:
    """The answer with what is missing. `is_completed` says that the history lent the question words: a passage that
    answers need not have them.

    Parts are judged by the rule. A question with one part is put to the model, too, if there is one: a call for each
    part would cost as much as the answer.
    """
    if isinstance(results, PartResults):
        parts = tuple(
            _part(part, own_evidence(found, given.evidence), language, is_completed=is_completed)
            for part, found in zip(given.parts, results.found, strict=False)
        )
        return replace(given, parts=(*parts, *given.parts[len(parts) :]))
    quoted = quoted_answer(question, given.evidence, model)
    missing = missing_answer(question, given.evidence, language, quoted=quoted.text, is_completed=is_completed)
    return replace(
        given,
        missing=missing,
        confidence=given.confidence if missing is None else at_most(given.confidence, Confidence.FAIR),
        input_tokens=given.input_tokens + quoted.billed.input_tokens,
        output_tokens=given.output_tokens + quoted.billed.output_tokens,
    )


def _part(
    part: QuestionPart, evidence: Sequence[EvidencePassage], language: str, *, is_completed: bool
) -> QuestionPart:
    missing = missing_answer(part.text, evidence, language, is_completed=is_completed) if part.covered else None
    return part if missing is None else replace(part, covered=False, missing=missing)
