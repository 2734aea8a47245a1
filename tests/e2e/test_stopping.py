"""SIGTERM while `ragbase serve` works on a document that takes longer than a service manager waits."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.document import Document, Status
from scripts.local_cloud.user import eventually
from tests.e2e.command_line import TIMEOUT, CommandLine
from tests.unit.formats.pdf.pdf_files import Line
from tests.unit.formats.pdf.scans import ocr_folder, scan

pytestmark = [pytest.mark.slow, pytest.mark.prove]

PAGES = 48
"""OCR reads a page in some half a second."""


def long_scan() -> tuple[str, bytes]:
    ocr_folder()
    lines: list[Line] = [(14, "The ship left the harbour at noon with a load of coal and timber.")] * 8
    return "scan.pdf", scan(*[lines] * PAGES)


def long_text() -> tuple[str, bytes]:
    """Embedding it takes a model much longer than reading it."""
    lines = [
        f"In the year {number} the ship left the harbour with {number % 97} bales of wool." for number in range(40_000)
    ]
    return "log.txt", "\n\n".join(lines).encode()


def is_read(record: Document) -> bool:
    return record.status is Status.PROCESSING


def is_embedded(record: Document) -> bool:
    return record.usage.embedded_texts > 0


@pytest.mark.parametrize(("document", "is_in_work"), [(long_scan, is_read), (long_text, is_embedded)])
def test_serve_gives_back_what_it_has_in_work(
    document: Callable[[], tuple[str, bytes]], is_in_work: Callable[[Document], bool], tmp_path: Path
) -> None:
    """It ends in order, the document is not done, and the attempt does not count: a server that is restarted often
    makes no document FAILED."""
    name, content = document()
    ragbase = CommandLine(tmp_path / "home", embedder="minilm")

    def record() -> Document | None:
        with closing(open_profile(load_config(home=ragbase.home))) as profile:
            return next(iter(profile.documents.page(limit=1)), None)

    child = ragbase.start("serve", "--port", "0", "--json")
    try:
        assert child.stdout is not None
        serving = json.loads(child.stdout.readline())
        (Path(serving["bucket"]) / name).write_bytes(content)
        assert eventually(lambda: (begun := record()) is not None and is_in_work(begun))
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=TIMEOUT)
    finally:
        child.kill()
        child.wait()
    assert (child.returncode, errors.decode()) == (0, "Stopped. Unfinished work goes on at the next start.\n")
    left = record()
    assert left is not None and left.status in (Status.PENDING, Status.PROCESSING)  # PROCESSING between its parts
    parts = left.reading.parts if left.reading is not None else ()
    assert {left.attempts, *(part.attempts for part in parts if not part.is_read)} == {0}
