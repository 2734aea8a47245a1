"""What a process that a document has taken over could answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.child_answer import MOST_VALUES, read_answer
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf import pdf as pdf_module
from tests.unit.formats.pdf.pdf_files import pdf


@pytest.mark.parametrize("text", ['a, b\\n"quoted", [c]', ",[{" * (MOST_VALUES // 2), '\\\\",[' * 9])
def test_any_text_is_an_answer(text: str) -> None:
    answer = {"pages": [{"markdown": text, "read": "text"}], "entries": [1, 2]}
    assert read_answer(json.dumps(answer).encode()) == answer


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"nonsense",
        b"[1]",
        b"null",
        b"[" * 10_000_000,
        b'{"pages": [' + b"[]," * MOST_VALUES + b"[]]}",
        b'{"pages": "' + b'","' * MOST_VALUES + b'"}',
        b'{"pages": ' + b"9" * 10_000 + b"}",
    ],
    ids=["nothing", "no JSON", "a list", "null", "deep", "many lists", "many strings", "a long number"],
)
def test_nonsense_is_the_document_s_fault(said: bytes) -> None:
    with pytest.raises(PermanentError) as error:
        read_answer(said)
    assert error.value.code is ErrorCode.CORRUPT_FILE


@pytest.mark.slow
def test_a_reader_that_answers_a_bomb_fails_its_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bomb = tmp_path / "reader.py"
    bomb.write_text("import sys\nsys.stdout.write('[' * 50_000_000)\n", encoding="utf-8")
    monkeypatch.setattr(pdf_module, "CHILD_PROCESS", bomb)
    with pytest.raises(PermanentError) as error:
        FormatExtractor(ExtractionLimits(timeout_seconds=60)).extract(pdf([(10, "A sail.")]), "pdf", ProcessingConfig())
    assert error.value.code is ErrorCode.CORRUPT_FILE
