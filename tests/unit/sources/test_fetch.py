"""A server that tries to lead inside, or never to end. Nothing inside is reached, and every request ends."""

from __future__ import annotations

import gzip
import socket
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from ragbase.sources.fetch import AddressRefused, Fetcher, FetchFailed
from ragbase.sources.public_address import is_public
from tests.contract.web_server import Page, Website, website

MEGABYTE = 1024 * 1024


@pytest.fixture
def inside() -> Iterator[Website]:
    with website({"/": Page("secret"), "/to": Page("", 302, headers={"Location": "/"})}) as site:
        yield site


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    fetcher = Fetcher("test/1", allowed_hosts=["127.0.0.1"], seconds=1)
    yield fetcher
    fetcher.close()


def body(fetcher: Fetcher, url: str, max_bytes: int = MEGABYTE) -> bytes:
    with fetcher.get(url, max_bytes=max_bytes) as fetched:
        return b"".join(fetched.body)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "192.0.2.1", "240.0.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
        "fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2001:db8::1", "2001:0:7f00:1::",
    ],
)  # fmt: skip
def test_these_addresses_lead_inside(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_these_addresses_are_public(address: str) -> None:
    assert is_public(address)


def test_a_host_that_is_allowed_is_asked(fetcher: Fetcher, inside: Website) -> None:
    with fetcher.get(f"{inside.url}/to", max_bytes=MEGABYTE, headers={"If-None-Match": "x"}) as fetched:
        assert (fetched.url, fetched.status, b"".join(fetched.body)) == (f"{inside.url}/", 200, b"secret")
    sent = inside.asked[-1][1]
    assert (sent["User-Agent"], sent["If-None-Match"]) == ("test/1", "x")


@pytest.mark.parametrize("host", ["localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0"])
def test_other_names_of_this_machine_are_refused(host: str, fetcher: Fetcher, inside: Website) -> None:
    port = inside.url.rpartition(":")[2]
    with pytest.raises((AddressRefused, FetchFailed)):
        body(fetcher, f"http://{host}:{port}/")
    inside.pages["/away"] = Page("", 302, headers={"Location": f"http://{host}:{port}/"})
    with pytest.raises((AddressRefused, FetchFailed)):
        body(fetcher, f"{inside.url}/away")
    assert inside.paths() == ["/away"]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://x/", "gopher://127.0.0.1/", "http://", "http:///x", "x", "http://a:b/", "http://u:p@x/",
    "http://127.0.0.1@127.0.0.1/", "data:text/html,x", "http://\x00/"],
)  # fmt: skip
def test_what_is_no_address_of_a_website_is_refused(url: str, fetcher: Fetcher, inside: Website) -> None:
    with pytest.raises(AddressRefused):
        body(fetcher, url)
    inside.pages["/away"] = Page("", 302, headers={"Location": "//u@127.0.0.1/"})
    with pytest.raises(AddressRefused, match="user name"):
        body(fetcher, f"{inside.url}/away")


def test_a_name_is_looked_up_once_and_checked_then(
    inside: Website, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(inside.url.rpartition(":")[2])
    answers = [["8.8.8.8", "127.0.0.1"], ["127.0.0.1"]]

    def look_up(host: str, *_arguments: Any, **_options: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers.pop(0)]

    monkeypatch.setattr("socket.getaddrinfo", look_up)
    for _ in range(2):
        with pytest.raises(AddressRefused, match="rebind"):
            body(fetcher, f"http://rebind.example:{port}/")
    assert answers == []
    assert inside.asked == []


def test_a_proxy_of_the_environment_is_not_asked(
    inside: Website, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", inside.url)
    with pytest.raises(AddressRefused):
        body(fetcher, "http://localhost:1/")
    assert inside.asked == []


def test_redirects_end(fetcher: Fetcher, inside: Website) -> None:
    inside.pages["/loop"] = Page("", 302, headers={"Location": "/loop"})
    with pytest.raises(FetchFailed, match="redirects"):
        body(fetcher, f"{inside.url}/loop")
    assert len(inside.asked) == 6


@pytest.mark.slow
def test_a_bomb_stays_small_in_memory(fetcher: Fetcher, inside: Website) -> None:
    bomb = gzip.compress(bytes(200 * MEGABYTE), 9)
    inside.pages["/bomb"] = Page(bomb, headers={"Content-Encoding": "gzip"})
    tracemalloc.start()
    try:
        with pytest.raises(FetchFailed, match="bytes"):
            body(fetcher, f"{inside.url}/bomb", 10 * MEGABYTE)
        assert tracemalloc.get_traced_memory()[1] < 40 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert len(bomb) < MEGABYTE


@pytest.mark.parametrize("packing", ["br", "gzip, gzip", "deflate"])
def test_what_was_not_asked_for_is_not_unpacked(packing: str, fetcher: Fetcher, inside: Website) -> None:
    inside.pages["/x"] = Page("x", headers={"Content-Encoding": packing})
    with pytest.raises(FetchFailed, match="not asked for"):
        body(fetcher, f"{inside.url}/x")


def test_a_packed_file_is_unpacked(fetcher: Fetcher, inside: Website) -> None:
    inside.pages["/x"] = Page(gzip.compress(b"text" * 100_000), headers={"Content-Encoding": "gzip"})
    assert body(fetcher, f"{inside.url}/x") == b"text" * 100_000


@pytest.mark.parametrize("what", ["body", "head", "endless"])
def test_a_server_that_never_ends_is_left(what: str, fetcher: Fetcher, inside: Website) -> None:
    ended = threading.Event()

    def answer(handler: Any) -> None:
        handler.close_connection = True
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nServer: " + (b"" if what == "head" else b"x\r\n\r\n"))
        while not ended.wait(0 if what == "endless" else 0.05):
            handler.wfile.write(b"x" * (65_536 if what == "endless" else 1))
            handler.wfile.flush()

    inside.pages["/slow"] = answer
    try:
        with pytest.raises(FetchFailed):
            body(fetcher, f"{inside.url}/slow")
    finally:
        ended.set()
