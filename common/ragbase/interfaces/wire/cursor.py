"""A place in a listing as one word that an address can hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ragbase.ports import ListingPlace

CURSOR = r"^[0-9]{1,16}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
"""Every text of this form is a cursor: the microseconds since 1970, and a document's id."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def cursor_of(place: ListingPlace) -> str:
    return f"{(place.created_at - _EPOCH) // timedelta(microseconds=1)}.{place.id}"


def place_of(cursor: str) -> ListingPlace:
    """`cursor` has the form `CURSOR`."""
    microseconds, _, id = cursor.partition(".")
    return ListingPlace(_EPOCH + timedelta(microseconds=int(microseconds)), id)
