"""PDFs, good and bad: every file here is a real one, read by the real parser."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf import pdf as pdf_module
from ragbase.formats.sandbox.run import run_sandboxed
from tests.unit.formats.pdf.pdf_files import pdf, pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

DATA = Path(__file__).parents[3] / "data" / "pdf"
WIND = "The wind fills the sail and the boat begins to move, and then it turns."
ROPE = "A rope is tied to the pier when the boat comes in, and then it is quiet."
TWO_PAGES = pdf([(24, "Sailing"), (10, WIND)], [(24, "Mooring"), (10, ROPE)])


def extract(data: bytes, limits: ExtractionLimits | None = None) -> Extraction:
    return FormatExtractor(limits).extract(data, "pdf", ProcessingConfig())


def failure(data: bytes, limits: ExtractionLimits | None = None) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        extract(data, limits)
    return caught.value


@pytest.mark.usefixtures("in_its_process")
def test_text_becomes_markdown_with_its_pages() -> None:
    extraction = extract(TWO_PAGES)
    assert extraction.markdown == f"# Sailing\n\n{WIND}\n\n# Mooring\n\n{ROPE}"
    assert [page.number for page in extraction.pages] == [1, 2]
    first, second = (extraction.markdown[page.start : page.end] for page in extraction.pages)
    assert first == f"# Sailing\n\n{WIND}"
    assert second == f"# Mooring\n\n{ROPE}"


def test_a_page_without_text_keeps_its_number() -> None:
    extraction = extract(pdf([(10, WIND)], [], [(10, ROPE)]))
    assert [page.number for page in extraction.pages] == [1, 2, 3]
    third = extraction.pages[2]
    assert extraction.markdown[third.start : third.end] == ROPE


def test_bytes_before_the_header_do_no_harm() -> None:
    assert extract(b"\r\nmail header\r\n\r\n" + TWO_PAGES) == extract(TWO_PAGES)


def test_a_password() -> None:
    error = failure((DATA / "password.pdf").read_bytes())
    assert error.code is ErrorCode.PASSWORD_PROTECTED
    assert "Remove the password" in error.reason


@pytest.mark.parametrize(
    "data", [TWO_PAGES[: len(TWO_PAGES) // 3], b"%PDF-1.7\n" + b"\x00\xff" * 500], ids=["truncated", "garbage"]
)
def test_damage(data: bytes) -> None:
    error = failure(data)
    assert error.code is ErrorCode.CORRUPT_FILE
    assert "damaged" in error.reason


@pytest.mark.usefixtures("in_its_process")
@pytest.mark.slow
def test_a_small_file_that_needs_too_much_memory() -> None:
    bomb = pdf_of_contents(b" " * 150_000_000)
    assert len(bomb) < 200_000
    error = failure(bomb, ExtractionLimits(memory_bytes=160 * 1024**2))
    assert error.code is ErrorCode.CORRUPT_FILE
    assert "memory" in error.reason


@pytest.mark.usefixtures("in_its_process")
def test_a_reader_that_takes_too_long() -> None:
    error = failure(TWO_PAGES, ExtractionLimits(timeout_seconds=0.001))  # a process cannot even start in that
    assert error.code is ErrorCode.TIMEOUT
    assert "0.001 seconds" in error.reason


def test_more_text_than_one_document_may_have() -> None:
    error = failure(TWO_PAGES, ExtractionLimits(max_text_characters=50))
    assert error.code is ErrorCode.FILE_TOO_LARGE


def test_pages_of_nothing_but_drawings_have_no_text_layer() -> None:
    error = failure(pdf_of_contents(b"72 72 400 400 re f"))
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "no text layer" in error.reason


def test_missing_libraries_are_not_the_document_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_module, "LIBRARIES", ("no_such_library",))
    with pytest.raises(ConfigurationError, match=r"needs no_such_library.*\[pdf\]"):
        extract(TWO_PAGES)


def test_a_fault_of_the_script_itself_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("raise ValueError('a bug of ours')\n")
    with pytest.raises(RuntimeError, match="a bug of ours"):
        run_sandboxed(script, b"", memory_bytes=1 << 30, output_bytes=10_000, seconds=60)
