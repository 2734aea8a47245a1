"""Readers without the process that keeps them from the rest of the machine."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from ragbase.formats.sandbox import run

RUN_SANDBOXED = run.run_sandboxed
FORMATS = Path(run.__file__).parents[1]
READS = {"pdf": "read_document", "office": "read_document", "picture": "read_document", "page_image": "draw_page"}
"""The function that each script answers with."""


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The scripts that read documents run in this process: to start one takes longer than to read a page.

    This is for tests of what a document becomes. What the process itself promises has tests of its own: its limits
    (office/test_office.py, pdf/test_pdf.py), its protections (test_sandbox.py), and what a hostile file can do
    (test_hostile_pages.py).
    """

    def run_here(
        script: Path,
        data: bytes,
        *,
        memory_bytes: int,
        output_bytes: int,
        seconds: float,
        options: tuple[str, ...] = (),
        readable: Sequence[Path] = (),
    ) -> bytes:
        room = script.parent.relative_to(FORMATS).as_posix()
        answered: bytes = getattr(import_module(f"ragbase.formats.{room}.{script.stem}"), READS[room])(data, *options)
        return answered

    monkeypatch.setattr(run, "run_sandboxed", run_here)
    yield
    gc.enable()  # a script turns it off for its short life


@pytest.fixture
def in_its_process(read_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The opposite, for a test in a file whose others are read here."""
    monkeypatch.setattr(run, "run_sandboxed", RUN_SANDBOXED)


@pytest.fixture
def one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read here by OCR is read by one engine for each choice of languages: to load their data takes three times
    as long as to read a page."""
    from ragbase.formats.pdf import ocr

    make = ocr.Ocr

    def one(data: str, languages: Sequence[str]) -> object:
        asked = (data, *languages)
        if asked not in _ENGINES:
            _ENGINES[asked] = make(data, languages)
        return _ENGINES[asked]

    monkeypatch.setattr(ocr, "Ocr", one)


_ENGINES: dict[tuple[str, ...], object] = {}
