"""The rate book as JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ragbase.messages.api.rate import RateResponse, UsedRate

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def rate_response(profile: Profile) -> RateResponse:
    limiter = profile.rate_limiter
    if limiter is None:
        return RateResponse()
    books, now, rate = limiter.books(), int(profile.clock.now().timestamp()), limiter.rate
    closed = max(book.closed_until for book in books)
    return RateResponse(
        rate=UsedRate(
            service=limiter.service,
            documents=rate.for_documents,
            queries=rate.inputs - rate.for_documents,
            sent=sum(book.within_a_minute(now) for book in books),
            booked=sum(book.ahead(now) for book in books),
            closed_until=datetime.fromtimestamp(closed, UTC) if closed > now else None,
        )
    )
