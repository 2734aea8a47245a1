"""How many requests a website gets at a time, and when."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from ragbase.sources.site_source import SiteSource
from tests.contract.web_server import Page, website

PAGES = 12


def slow(at_once: int, most: list[int]) -> Callable[[Any], None]:
    """A page that comes once so many requests for pages are open."""
    barrier, lock, is_open = threading.Barrier(at_once), threading.Lock(), [0]

    def answer(handler: Any) -> None:
        with lock:
            is_open[0] += 1
            most.append(is_open[0])
        barrier.wait(timeout=30)
        with lock:
            is_open[0] -= 1
        handler.send_response(200)
        handler.send_header("Content-Length", "0")
        handler.send_header("ETag", f'"{handler.path}"')
        handler.end_headers()

    return answer


@pytest.mark.parametrize("connections", [1, 3])
def test_there_are_as_many_requests_at_a_time_as_allowed(connections: int) -> None:
    most: list[int] = []
    page = slow(connections, most)
    listed = "".join(f"<url><loc>{{site}}/{number}</loc></url>" for number in range(PAGES))
    with website({f"/{number}": page for number in range(PAGES)}) as site:
        site.pages["/sitemap.xml"] = Page(f"<urlset>{listed}</urlset>")
        source = SiteSource(site.url, allowed_hosts=frozenset(["127.0.0.1"]), connections=connections)
        assert len(list(source.entries())) == PAGES
        source.close()
    assert max(most) == connections


def test_pauses_lie_between_requests_of_all_connections() -> None:
    waits: list[float] = []
    with website({f"/{number}": Page("") for number in range(PAGES)}) as site:
        listed = "".join(f"<url><loc>{{site}}/{number}</loc></url>" for number in range(PAGES))
        site.pages |= {
            "/sitemap.xml": Page(f"<urlset>{listed}</urlset>"),
            "/robots.txt": Page("User-agent: *\nCrawl-delay: 2"),
        }
        hosts = frozenset(["127.0.0.1"])
        source = SiteSource(site.url, allowed_hosts=hosts, connections=4, wait=waits.append)
        assert len(list(source.entries())) == PAGES
        source.close()
    assert waits == [2.0] * (PAGES + 1)
