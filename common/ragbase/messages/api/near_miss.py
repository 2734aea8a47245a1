"""What was nearest to a question that finds nothing."""

from __future__ import annotations

from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.json_model import JsonModel


class NearPassageBody(JsonModel):
    """A passage whose score does not reach the threshold. It is no result: its text is not shown. `lacks` are the words
    of the question that it does not have. `confidence` is always `near miss`."""

    document_id: str
    filename: str
    score: float
    metadata: ChunkMetadata
    lacks: tuple[str, ...]
    confidence: str | None = None


class NearMissBody(JsonModel):
    """The nearest passages, one to three, nearest first. `unknown` are the words of the question that no passage of the
    index has."""

    threshold: float
    passages: tuple[NearPassageBody, ...]
    unknown: tuple[str, ...]
