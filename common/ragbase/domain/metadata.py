"""What an author says of a document as a whole: its title, tags, date and address."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_TITLE = 300
MAX_TAGS = 20
MAX_TAG = 60
MAX_DATE = 40
MAX_URL = 2000
"""Characters, and tags: metadata is part of the record and of each search result, so its size is bounded."""

WEB_ADDRESS = re.compile(r"https?://[^\s<>\"\x00-\x1f]+", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """`title`, `date` (as the author wrote it, ISO 8601 where the format has dates) and `url` (http or https) are None
    where the document does not say. Each is one line, and of bounded length."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    date: str | None = None
    url: str | None = None

    @classmethod
    def of(
        cls, *, title: str | None = None, tags: Iterable[str] = (), date: str | None = None, url: str | None = None
    ) -> DocumentMetadata:
        """Cut to the bounds, with white space joined. An address that is too long or is no web address is left out:
        half of it would lead elsewhere."""
        address = _line(url or "", MAX_URL + 1) or ""
        distinct = dict.fromkeys(filter(None, (_line(tag, MAX_TAG) for tag in tags)))
        return cls(
            title=_line(title or "", MAX_TITLE),
            tags=tuple(distinct)[:MAX_TAGS],
            date=_line(date or "", MAX_DATE),
            url=address if len(address) <= MAX_URL and WEB_ADDRESS.fullmatch(address) else None,
        )


NO_METADATA = DocumentMetadata()


def _line(text: str, length: int) -> str | None:
    """No database takes a NUL or half of a surrogate pair."""
    clean = SURROGATE.sub("\ufffd", text[: 4 * length].replace("\0", "\ufffd"))
    return " ".join(clean.split())[:length].rstrip() or None
