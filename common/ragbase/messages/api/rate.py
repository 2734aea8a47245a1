"""What /api/rate answers."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.json_model import JsonModel


class UsedRate(JsonModel):
    """The embedding `service` takes so many texts of documents a minute, and so many of queries, for which nothing is
    booked. `sent` counts those of documents in the last minute, and `booked` those of the next seconds. Until
    `closedUntil`, the service wants no calls."""

    service: str
    documents: int
    queries: int
    sent: int
    booked: int
    closed_until: datetime | None = None


class RateResponse(JsonModel):
    """Without `rate`, the embedder has no limit."""

    rate: UsedRate | None = None
