"""Files whose reader is not installed: the ingest says so first, and they fail with the command that brings it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragbase.extras import install_command
from tests.e2e.command_line import CommandLine
from tests.office_documents import DOCUMENTS

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)


@pytest.mark.slow
def test_without_the_libraries_the_rest_is_read_and_the_remedy_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.docx").write_bytes(DOCUMENTS["docx"])
    (folder / "b.png").write_bytes(PNG)
    (folder / "c.pptx").write_bytes(DOCUMENTS["pptx"])
    command_line = CommandLine(tmp_path / "home")
    with monkeypatch.context() as without:
        for module in ("xberg", "tesserocr", "PIL"):
            without.setitem(sys.modules, module, None)
        ended = command_line.call("ingest", folder)
    assert install_command("office", "ocr") in ended.err.splitlines()[0]
    assert "1 document" in ended.out and "2 failed" in ended.out and ended.code == 1
    status = command_line.call("status", folder / "a.docx", "--json").out
    assert "UNSUPPORTED_FORMAT" in status and "Install the extra office" in status
    assert "Install the extra ocr" in command_line.call("status", folder / "b.png", "--json").out


@pytest.mark.slow
def test_with_the_libraries_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(DOCUMENTS["docx"])
    ended = CommandLine(tmp_path / "home").call("ingest", tmp_path / "a.docx")
    assert (ended.code, "pip install" in ended.err) == (0, False)
    again = CommandLine(tmp_path / "home").call("ingest", tmp_path / "a.docx")
    assert "1 unchanged" in again.out
