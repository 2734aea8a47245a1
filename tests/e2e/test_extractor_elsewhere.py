"""`ragbase serve` with the setting extractor = external, and the worker of docs/extractor.md, with a converter in
Docling's place."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragbase import Client
from scripts.local_cloud.user import eventually
from tests.e2e.command_line import CommandLine
from tests.e2e.test_access import serving, settings
from tests.page_blocks import block_of
from tests.unit.formats.pdf.pdf_files import pdf

pytestmark = pytest.mark.slow

CONVERTER = """
import pypdfium2

class DocumentConverter:
    def convert(self, name):
        self.document, self.pages = self, pypdfium2.PdfDocument(name)
        if len(self.pages) != 1:
            raise ValueError("It has more than a page.")
        return self

    def export_to_markdown(self):
        return "# Read elsewhere\\n\\n" + self.pages[0].get_textpage().get_text_range()
"""


@contextmanager
def worker(folder: Path, endpoint: str) -> Iterator[None]:
    """The worker of the page."""
    package = folder / "docling"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "document_converter.py").write_text(CONVERTER)
    (folder / "worker.py").write_text(block_of("docs/extractor.md", "A worker with Docling", 2).text)
    install, start = block_of("docs/extractor.md", "A worker with Docling").text.splitlines()
    assert install == "pip install docling" and "http://127.0.0.1:8080" in start
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(folder)}
    process = subprocess.Popen(
        ["sh", "-c", start.replace("http://127.0.0.1:8080", endpoint)],
        cwd=folder,
        env={**os.environ, **environment},
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def statuses(client: Client) -> dict[str, str]:
    """The status of each document, by the name of its file."""
    return {Path(one.filename).name: one.status.value for one in client.list()}


def is_settled(statuses: dict[str, str]) -> bool:
    return "PROCESSING" not in statuses.values() and len(statuses) == 3


def test_the_worker_of_the_page_reads_what_waits(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    ragbase.home.mkdir()
    settings(ragbase, extractor="external")
    line = (11, "The boiler in the cellar is inspected every spring, before the season ends.")
    # A server on a busy machine refuses requests for a moment (429), which a client has to bear.
    with serving(ragbase) as served, Client(endpoint := str(served["url"]).removesuffix("/api/query")) as client:
        bucket = Path(str(served["bucket"]))
        (bucket / "one.pdf").write_bytes(pdf([line]))
        (bucket / "two.pdf").write_bytes(pdf([line], [line]))
        (bucket / "notes.md").write_text("# Lockers\n\nLuggage that is found on a platform is kept in the lockers.")
        waiting = {"one.pdf": "PROCESSING", "two.pdf": "PROCESSING", "notes.md": "COMPLETED"}
        eventually(lambda: statuses(client) == waiting)
        with worker(tmp_path, endpoint):
            eventually(lambda: is_settled(statuses(client)))
            eventually(lambda: statuses(client)["one.pdf"] == "COMPLETED")
        ended = {Path(one.filename).name: client.get(one.id) for one in client.list()}
    assert ended["one.pdf"].notes == ("An extractor elsewhere gave its text.",)
    assert ended["two.pdf"].fail_reason == "CORRUPT_FILE: It has more than a page."
    (first, *_) = ragbase.call("query", "--json", "When is the boiler inspected?").json["results"]
    assert "The boiler in the cellar" in json.dumps(first) and "Read elsewhere" in json.dumps(first)


def test_without_a_worker_the_wait_ends(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    ragbase.home.mkdir()
    settings(ragbase, extractor="external", extractor_timeout=1)
    file = tmp_path / "boiler.pdf"
    file.write_bytes(pdf([(11, "The boiler in the cellar is inspected every spring.")]))
    ended = ragbase.call("ingest", file)
    assert ended.code == 1
    assert "TIMEOUT: The extractor elsewhere did not answer within 1 seconds" in ended.out + ended.err
