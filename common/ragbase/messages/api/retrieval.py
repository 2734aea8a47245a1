"""What POST /retrieval answers, as Dify publishes it
(https://docs.dify.ai/en/use-dify/knowledge/external-knowledge-api)."""

from __future__ import annotations

from ragbase.messages.foreign_model import ForeignModel


class RetrievalRecord(ForeignModel):
    """`title` is the document's title, or else its name. `metadata` says which document it is, what it says of
    itself, and where the passage is. It is never null, which Dify can't read."""

    content: str
    score: float
    title: str
    metadata: dict[str, str | int | float | bool]


class RetrievalResponse(ForeignModel):
    records: tuple[RetrievalRecord, ...]


class DifyErrorBody(ForeignModel):
    """`error_code` is 1001 for an `Authorization` that is no bearer token, 1002 for one that is not valid or may not
    search, 2001 for an unknown knowledge, and the status of HTTP for everything else."""

    error_code: int
    error_msg: str
