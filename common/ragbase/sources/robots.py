"""What a website asks of programs that read it (robots.txt, RFC 9309)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ragbase.domain.errors import Unavailable
from ragbase.sources.fetch import Fetcher, FetchFailed

if TYPE_CHECKING:
    from protego import Protego

MAX_ROBOTS = 512 * 1024
"""Bytes. RFC 9309, section 2.5, asks for 500 KiB at least."""
_CLIENT_ERRORS = range(400, 500)
_OK = 200


class Robots:
    """The rules for one user agent."""

    def __init__(self, rules: Protego | None, agent: str) -> None:
        """Without rules, all is allowed."""
        self._rules = rules
        self._agent = agent

    def allows(self, url: str) -> bool:
        return self._rules is None or self._rules.can_fetch(url, self._agent)

    @property
    def delay(self) -> float:
        """Seconds between two requests."""
        return float(self._rules.crawl_delay(self._agent) or 0) if self._rules else 0.0

    @property
    def sitemaps(self) -> list[str]:
        return list(self._rules.sitemaps) if self._rules else []


def read_robots(site: str, fetcher: Fetcher, agent: str) -> Robots:
    """Raises Unavailable if the file is there and cannot be had: nobody knows then what may be read (section 2.3.1)."""
    from protego import Protego

    url = urljoin(site, "/robots.txt")
    try:
        with fetcher.get(url, max_bytes=MAX_ROBOTS) as fetched:
            if fetched.status in _CLIENT_ERRORS:
                return Robots(None, agent)
            if fetched.status != _OK:
                raise Unavailable(f"{url} answers with status {fetched.status}. Run the sync again later.")
            text = b"".join(fetched.body).decode("utf-8", "replace")
    except FetchFailed as error:
        raise Unavailable(f"{error} Run the sync again later.") from error
    return Robots(Protego.parse(text), agent)
