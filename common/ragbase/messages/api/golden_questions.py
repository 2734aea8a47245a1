"""What /api/golden-questions answers."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.json_model import JsonModel


class GoldenQuestionBody(JsonModel):
    """`filename` is left out if the document is gone: then the question is not asked."""

    id: str
    question: str
    document_id: str
    filename: str | None = None
    kept_at: datetime


class GoldenQuestionsResponse(JsonModel):
    questions: tuple[GoldenQuestionBody, ...]
