"""PDFs, good and bad: every file here is a real one, read by the real parser in its own process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf import pdf as pdf_module
from ragbase.formats.sandbox import TimedOut, run_sandboxed
from tests.unit.formats.pdf.pdf_files import pdf, pdf_of_contents

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


@pytest.mark.slow
def test_a_small_file_that_needs_too_much_memory() -> None:
    bomb = pdf_of_contents(b" " * 150_000_000)
    assert len(bomb) < 200_000
    error = failure(bomb, ExtractionLimits(memory_bytes=160 * 1024**2))
    assert error.code is ErrorCode.CORRUPT_FILE
    assert "memory" in error.reason


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


def test_a_timeout_leaves_no_process_behind(tmp_path: Path) -> None:
    """The script and its own child hold the write end of a pipe: it is at its end when both are dead."""
    script = tmp_path / "sleeper.py"
    script.write_text(
        "import os, subprocess, sys\n"
        "fd = os.open(sys.argv[4], os.O_WRONLY)\n"
        "os.write(fd, b'x')\n"
        "subprocess.Popen(['sleep', '600'], pass_fds=[fd]).wait()\n"
    )
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(TimedOut):
            run_sandboxed(script, b"", memory_bytes=0, output_bytes=0, seconds=2, options=(str(fifo),))
        os.set_blocking(reader, True)
        assert os.read(reader, 10) == b"x"
        assert os.read(reader, 10) == b""
    finally:
        os.close(reader)


def test_the_reader_dies_with_its_parent() -> None:
    """It waits for a file that never ends, so `run` would wait too, as the reader has its stdout."""
    parent = (
        "import os, signal, subprocess, sys\n"
        "arguments = [str(os.getpid()), str(1 << 30), '1000', '{}']\n"
        "subprocess.Popen([sys.executable, '-P', sys.argv[1], *arguments], start_new_session=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    endless, write_end = os.pipe()
    try:
        command = [sys.executable, "-c", parent, str(pdf_module.CHILD_PROCESS)]
        run = subprocess.run(command, stdin=endless, stdout=subprocess.PIPE, timeout=60, check=False)
    finally:
        os.close(endless)
        os.close(write_end)
    assert run.returncode == -signal.SIGKILL
    assert run.stdout == b""


def test_a_fault_of_the_script_itself_is_shown(tmp_path: Path) -> None:
    script = tmp_path / "broken.py"
    script.write_text("raise ValueError('a bug of ours')\n")
    with pytest.raises(RuntimeError, match="a bug of ours"):
        run_sandboxed(script, b"", memory_bytes=0, output_bytes=0, seconds=60)
