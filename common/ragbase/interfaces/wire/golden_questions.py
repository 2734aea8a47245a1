"""The bodies of /api/golden-questions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from ragbase.domain.limits import MAX_PATH, MAX_QUERY_LENGTH
from ragbase.messages.api.golden_questions import GoldenQuestionBody
from ragbase.messages.json_model import RequestModel

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.evaluation.golden_questions import GoldenQuestion

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def _one_line(given: object) -> object:
    return " ".join(_CONTROL.sub(" ", given).split()) if isinstance(given, str) else given


class GoldenQuestionRequest(RequestModel):
    """A question, and the document that should answer it."""

    question: Annotated[
        str,
        BeforeValidator(_one_line),
        StringConstraints(min_length=1, max_length=MAX_QUERY_LENGTH),
    ] = Field(
        description=f"a text of 1 to {MAX_QUERY_LENGTH} characters, not counting spaces around it",
        json_schema_extra={"pattern": r"[^\s\x00-\x1f\x7f-\x9f]"},
    )
    document: Annotated[str, StringConstraints(min_length=1, max_length=MAX_PATH)] = Field(
        description="the id of a document, or its name in the bucket"
    )


def golden_question_body(one: GoldenQuestion, record: Document | None) -> GoldenQuestionBody:
    return GoldenQuestionBody(
        id=one.id,
        question=one.question,
        document_id=one.document_id,
        filename=record.source if record is not None and not record.tombstone else None,
        kept_at=one.kept_at,
    )
