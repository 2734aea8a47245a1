"""An extra comes when it is first needed, where the environment has a program that brings it, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from ragbase import extras
from ragbase.domain.errors import Busy, ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.extras import ADD_EXTRA, bring, is_on_demand
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.libraries import OFFICE, bring_libraries, missing_libraries, require
from tests.e2e.command_line import CommandLine
from tests.unit.formats.pdf.pdf_files import pdf
from tests.unit.formats.pdf.scans import scan

MODULE = "a_module_that_an_extra_has"
WORDS = [(12, "The nightly backup starts at half past two."), (12, "It takes ten minutes on all days.")]


class Adder:
    """Stands in for scripts/add-extra: it writes down what it is asked for, and does what a line of bash says."""

    def __init__(self, folder: Path) -> None:
        self.program, self._asked, self.packages = folder / "add-extra", folder / "asked", folder / "packages"
        self.packages.mkdir()
        self.does("")

    def does(self, line: str) -> None:
        self.program.write_text(f'#!/bin/sh\necho "$1" >>"{self._asked}"\n{line}\n')
        self.program.chmod(0o755)

    def installs(self, module: str) -> None:
        self.does(f'echo loading; : >"{self.packages}/{module}.py"')

    @property
    def asked(self) -> list[str]:
        return self._asked.read_text().split() if self._asked.exists() else []


@pytest.fixture
def adder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Adder]:
    """In an environment that has none of the extras "office", "ocr" and "one"."""
    one = Adder(tmp_path)
    monkeypatch.setenv(ADD_EXTRA, str(one.program))
    monkeypatch.setattr(extras, "_NOT_BROUGHT", set())
    monkeypatch.setitem(extras._ALL, "one", (MODULE,))
    monkeypatch.syspath_prepend(str(one.packages))
    for module in ("xberg", "PIL", "tesserocr"):
        monkeypatch.setitem(sys.modules, module, None)
    extras._is_distribution.cache_clear()
    yield one
    extras._is_distribution.cache_clear()


def test_it_is_brought_once(adder: Adder, capfd: pytest.CaptureFixture[str]) -> None:
    adder.installs(MODULE)
    assert is_on_demand("one") and adder.asked == [], "nothing is installed to find out"
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(bring, ["one"] * 4))
    assert adder.asked == ["one"]
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "loading\n"), "standard output is the command's"


def test_where_it_cannot_be_had_that_is_said_once(adder: Adder, capfd: pytest.CaptureFixture[str]) -> None:
    adder.does("exit 1")
    assert not bring("one") and not bring("one")
    assert adder.asked == ["one"]
    assert capfd.readouterr().err.count("The extra one could not be installed") == 1


def test_an_extra_without_a_lock_file_is_left_to_the_message_of_its_error(
    adder: Adder, capfd: pytest.CaptureFixture[str]
) -> None:
    adder.does("exit 3")
    assert not bring("one")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("end", ["exit 130", "kill -INT $$"])
def test_an_interruption_is_no_failure_of_a_document(end: str, adder: Adder) -> None:
    adder.does(end)
    with pytest.raises(Busy):
        bring("one")
    adder.installs(MODULE)
    assert bring("one")


def test_a_program_that_is_gone(adder: Adder, capfd: pytest.CaptureFixture[str]) -> None:
    adder.program.unlink()
    assert not bring("one")
    assert "cannot be run: No such file" in capfd.readouterr().err


def test_what_a_user_has_installed_is_left_alone(adder: Adder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel, or an editable installation: its environment is its user's."""
    adder.installs(MODULE)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: SimpleNamespace(read_text=lambda file: None))
    assert not is_on_demand("one") and not bring("one")
    assert adder.asked == []
    assert "Install what reads them:" in (missing_libraries(["docx"]) or "")


def test_without_such_a_program_nothing_is_brought(adder: Adder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ADD_EXTRA)
    assert not is_on_demand("one") and not bring("one")
    assert adder.asked == []


def test_files_bring_what_reads_them_before_they_are_read(adder: Adder) -> None:
    bring_libraries({"md", "pdf"})
    assert adder.asked == []
    bring_libraries({"md", "docx"})
    assert adder.asked == ["office"]
    bring_libraries({"png"})
    assert adder.asked == ["office", "ocr"]
    assert missing_libraries(["docx", "png"]) is None, "what comes on demand is not said to be missing"


def test_a_file_that_needs_what_cannot_be_had_fails_as_everywhere(adder: Adder) -> None:
    adder.does("exit 1")
    for _ in range(2):
        with pytest.raises(PermanentError, match="Install the extra office") as caught:
            require(OFFICE, "docx")
        assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT
    assert adder.asked == ["office"]


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., str]:
    extractor = FormatExtractor(ExtractionLimits(ocr_data=tmp_path / "tessdata"))

    def read(data: bytes, mode: OcrMode = OcrMode.AUTO) -> str:
        return extractor.extract(data, "pdf", ProcessingConfig(ocr_mode=mode)).markdown

    return read


def test_a_pdf_with_text_brings_no_ocr(adder: Adder, read: Callable[..., str]) -> None:
    assert "nightly backup" in read(pdf(WORDS))
    assert adder.asked == []


def test_a_scan_brings_ocr_and_says_so_where_that_fails(adder: Adder, read: Callable[..., str]) -> None:
    adder.does("exit 1")
    with pytest.raises(PermanentError) as caught:
        read(scan(WORDS))
    assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT and "the extra ocr" in caught.value.reason
    with pytest.raises(PermanentError) as caught:
        read(scan(WORDS), OcrMode.FORCE)
    assert caught.value.code is ErrorCode.OCR_FAILED and "Install the extra ocr" in caught.value.reason
    assert adder.asked == ["ocr"]


def test_doctor_says_what_comes_when_it_is_needed(adder: Adder, tmp_path: Path) -> None:
    ended = CommandLine(tmp_path / "home").call("doctor")
    assert "extra office ok comes when it is first needed" in " ".join(ended.out.split())
    assert adder.asked == []


def test_the_wrapper_of_a_checkout_knows_the_extras_that_it_can_bring() -> None:
    """Each lock file of an extra is of one that errors name, and what the wrapper cannot bring it refuses quietly."""
    root = Path(__file__).resolve().parents[2]
    locked = {file.stem for file in (root / "requirements" / "extras").glob("*.txt")}
    assert locked <= extras.EXTRAS.keys()
    asked = subprocess.run([root / "scripts" / "add-extra", "weaviate"], capture_output=True, text=True, check=False)
    assert (asked.returncode, asked.stdout, asked.stderr) == (3, "", "")
