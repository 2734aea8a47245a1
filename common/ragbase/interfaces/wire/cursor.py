"""A place in a listing as one word that an address can hold."""

from __future__ import annotations

import base64
import uuid
from datetime import UTC, datetime

from ragbase.ports import Place

MAX_CURSOR = 200
"""Characters. A cursor has about 100."""


def cursor_of(place: Place) -> str:
    text = f"{place.created_at.astimezone(UTC).isoformat()} {place.id}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def place_of(cursor: str) -> Place:
    """Raises ValueError for a text that is no cursor."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        created_at, _, id = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii").partition(" ")
        place = Place(datetime.fromisoformat(created_at).astimezone(UTC), str(uuid.UUID(id)))
    except (ValueError, OverflowError):
        raise ValueError("it is not a cursor that this API has given") from None
    return place
