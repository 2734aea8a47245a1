"""How much of the embedding service's rate is used."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ragbase.messages.api.rate import UsedRate

if TYPE_CHECKING:
    from ragbase.domain.rate import RateBook, ServiceRate


def used_rate(service: str, rate: ServiceRate, books: Sequence[RateBook], at: datetime) -> UsedRate:
    """As all books of the service have it at that time."""
    now = int(at.timestamp())
    closed = max(book.closed_until for book in books)
    return UsedRate(
        service=service,
        documents=rate.for_documents,
        queries=rate.inputs - rate.for_documents,
        sent=sum(book.within_a_minute(now) for book in books),
        booked=sum(book.ahead(now) for book in books),
        closed_until=datetime.fromtimestamp(closed, UTC) if closed > now else None,
    )
