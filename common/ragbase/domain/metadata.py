"""What an author says of a document as a whole: its title, tags, date and address, and all of its front matter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ragbase.domain.comparable_values import folded

MAX_TITLE = 300
MAX_TAGS = 20
MAX_TAG = 60
MAX_DATE = 40
MAX_URL = 2000
MAX_KEY = 60
MAX_VALUE = 200
MAX_VALUES = 50
"""Characters, tags, and values of front matter: metadata is part of the record, and but for the front matter of each
search result, so its size is bounded."""

WEB_ADDRESS = re.compile(r"https?://[^\s<>\"\x00-\x1f]+", re.IGNORECASE)
SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentMetadata:
    """`title`, `date` (as the author wrote it, ISO 8601 where the format has dates) and `url` (http or https) are None
    where the document does not say. Each is one line, and of bounded length. `front_matter` has the keys of the front
    matter, folded, with their values as they are written, for conditions of a filter (domain/condition.py). A key that
    has a list is there once for each item."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    date: str | None = None
    url: str | None = None
    front_matter: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        *,
        title: str | None = None,
        tags: Iterable[str] = (),
        date: str | None = None,
        url: str | None = None,
        front_matter: Iterable[tuple[str, str]] = (),
    ) -> DocumentMetadata:
        """Cut to the bounds, with white space joined. An address that is too long or is no web address is left out:
        half of it would lead elsewhere. So are keys and values of front matter that are too long: nobody asks for half
        of one."""
        address = _line(url or "", MAX_URL + 1) or ""
        distinct = dict.fromkeys(filter(None, (_line(tag, MAX_TAG) for tag in tags)))
        said = dict.fromkeys(
            (folded(_line(key, MAX_KEY + 1) or ""), _line(text, MAX_VALUE + 1)) for key, text in front_matter
        )
        short = [(key, text) for key, text in said if text and len(text) <= MAX_VALUE and 0 < len(key) <= MAX_KEY]
        return cls(
            title=_line(title or "", MAX_TITLE),
            tags=tuple(distinct)[:MAX_TAGS],
            date=_line(date or "", MAX_DATE),
            url=address if is_web_address(address) else None,
            front_matter=tuple(short)[:MAX_VALUES],
        )

    def at(self, source: str) -> DocumentMetadata:
        """With the address where the document was read, if its source is one: it is of no copy, and of no page that the
        author has moved since."""
        return replace(self, url=source) if is_web_address(source) else self


NO_METADATA = DocumentMetadata()


def is_web_address(text: str) -> bool:
    return len(text) <= MAX_URL and WEB_ADDRESS.fullmatch(text) is not None


def _line(text: str, length: int) -> str | None:
    """No database takes a NUL or half of a surrogate pair."""
    clean = SURROGATE.sub("\ufffd", text[: 4 * length].replace("\0", "\ufffd"))
    return " ".join(clean.split())[:length].rstrip() or None
