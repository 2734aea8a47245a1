"""What a question was taken for, and what the documents do not say, in the bodies of /api/query and /api/answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.interfaces.wire.near_miss import near_miss_body
from ragbase.messages.api.question_parts import MissingAnswerBody, QuestionPartBody

if TYPE_CHECKING:
    from ragbase.domain.answer import MissingAnswer, QuestionPart


def part_bodies(parts: Sequence[QuestionPart]) -> tuple[QuestionPartBody, ...] | None:
    """None of a question with one part."""
    bodies = (
        QuestionPartBody(
            text=part.text,
            covered=part.covered,
            missing=missing_body(part.missing),
            near_miss=near_miss_body(part.near_miss),
            searched=None if part.searched else False,
        )
        for part in parts
    )
    return tuple(bodies) or None


def missing_body(missing: MissingAnswer | None) -> MissingAnswerBody | None:
    if missing is None:
        return None
    return MissingAnswerBody(asked=missing.asked, subject=missing.subject, text=missing.text)
