"""The content decides what a file is; its name only promises."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.routing import Format
from ragbase.extraction.extractor import Extractor
from tests.unit.pdf_files import pdf

PDF = pdf([(10, "The wind fills the sail.")])
TEXT_FORMATS = [Format.TXT, Format.MD, Format.JSON]


def zip_file() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<document/>")
    return file.getvalue()


def refusal(data: bytes, promised: Format) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        Extractor().detect(data, promised)
    return caught.value


@pytest.mark.parametrize("promised", list(Format))
def test_a_pdf_is_a_pdf_whatever_its_name(promised: Format) -> None:
    assert Extractor().detect(PDF, promised) is Format.PDF


def test_a_pdf_may_have_junk_before_its_header() -> None:
    assert Extractor().detect(b"junk\n" * 100 + PDF, Format.PDF) is Format.PDF


@pytest.mark.parametrize("promised", TEXT_FORMATS)
@pytest.mark.parametrize("data", [b"", b"# Boats", b"[]", b"%PDF-1.7 is how a PDF begins.", b"A file with %PDF-1.4\n"])
def test_text_is_what_its_name_promises(data: bytes, promised: Format) -> None:
    assert Extractor().detect(data, promised) is promised


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"# Boats", "something else"), (b"", "empty"), (zip_file(), "ZIP archive"), (b"%PDF" * 500, "something else")],
)
def test_a_promised_pdf_that_is_none_is_corrupt(data: bytes, kind: str) -> None:
    error = refusal(data, Format.PDF)
    assert error.code is ErrorCode.CORRUPT_FILE
    assert kind in error.reason
    assert "Upload the original PDF" in error.reason


@pytest.mark.parametrize("promised", TEXT_FORMATS)
@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (zip_file(), "Office document"),
        (gzip.compress(b"text"), "gzip"),
        (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
        (b"GIF89a\1\0", "GIF"),
        (b"MZ\x90\x00\x03", "Windows program"),
        (b"{\\rtf1\\ansi Boats}", "Rich Text"),
    ],
)
def test_a_binary_format_under_a_text_s_name_is_refused_by_its_own(data: bytes, kind: str, promised: Format) -> None:
    error = refusal(data, promised)
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert kind in error.reason
    assert "export the content" in error.reason


def test_the_fingerprint_is_stable() -> None:
    assert Extractor().fingerprint == Extractor().fingerprint != ""
