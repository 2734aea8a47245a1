"""A site whose files never end: the listing ends, says why, and stays small in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.contract.web_server import Answer, Page, website

COMMON = Path(__file__).parents[3] / "common"
MOST = 200 * 1024 * 1024
BLOCK = 256 * 1024
SYNC = """
import pathlib, re, resource, sys
from ragbase.domain.errors import RagbaseError
from ragbase.sources.site_source import SiteSource

source = SiteSource(sys.argv[1], allowed_hosts=frozenset(["127.0.0.1"]), connections=8)
try:
    for entry in source.entries():
        for _ in source.read(entry):
            pass
except RagbaseError as error:
    print(error)
# On Linux, ru_maxrss also counts the process that this one was forked from.
status = pathlib.Path("/proc/self/status")
peak = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(peak[1] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def endless(start: bytes, block: bytes, content_type: str = "text/html") -> Callable[[Any], None]:
    def answer(handler: Any) -> None:
        handler.close_connection = True
        handler.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode() + start)
        while True:
            handler.wfile.write(block)

    return answer


ENDLESS = endless(b"<main>", b"word " * (BLOCK // 5))
SITES: Mapping[str, tuple[Mapping[str, Answer], str]] = {
    "endless pages": (
        {f"/{n}": ENDLESS for n in range(9)}
        | {"/sitemap.xml": Page("<urlset>" + "".join(f"<url><loc>{{site}}/{n}</loc></url>" for n in range(9)))},
        "more than 52428800 bytes",
    ),
    "endless page": ({"/": ENDLESS}, "more than 52428800 bytes"),
    "endless sitemap": ({"/sitemap.xml": endless(b"<urlset>", b" " * BLOCK)}, "more than 52428800 bytes"),
    "endless robots.txt": ({"/robots.txt": endless(b"", b"# x\n" * (BLOCK // 4))}, "more than 524288 bytes"),
    "endless addresses": (
        {"/sitemap.xml": endless(b"<urlset>", b"<url><loc>" + b"x" * BLOCK + b"</loc></url>")},
        "more than 52428800 bytes",
    ),
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the most memory that a process ever had")
@pytest.mark.parametrize("what", SITES)
def test_what_never_ends_is_left_in_bounded_memory(what: str) -> None:
    pages, said = SITES[what]
    with website(pages) as site:
        ended = subprocess.run(
            [sys.executable, "-c", SYNC, site.url], env={"PYTHONPATH": str(COMMON)}, capture_output=True, check=True
        )
    message, peak = ended.stdout.decode().strip().rsplit("\n", 1)
    assert said in message
    assert int(peak) * 1024 < MOST
