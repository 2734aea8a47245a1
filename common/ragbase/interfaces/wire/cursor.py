"""Where the next page of a listing begins, as one word that an address can hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ragbase.ports import ListingPlace

CURSOR = r"^[0-9]{1,16}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.[0-9]{1,12})?$"
"""Every text of this form is a cursor: the microseconds since 1970, a document's id, and the total of the listing."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The next page begins after `place`. `total` counts the documents of the listing at its first page, so that the
    other pages need not count them; a cursor of an older version has None."""

    place: ListingPlace
    total: int | None

    @property
    def text(self) -> str:
        start = f"{(self.place.created_at - _EPOCH) // timedelta(microseconds=1)}.{self.place.id}"
        return start if self.total is None else f"{start}.{self.total}"


def cursor_of(text: str) -> Cursor:
    """The cursor of a text that has the form `CURSOR`."""
    microseconds, id, *total = text.split(".")
    place = ListingPlace(_EPOCH + timedelta(microseconds=int(microseconds)), id)
    return Cursor(place, int(total[0]) if total else None)
