"""The content decides what a file is; its name only promises."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor, allowed_formats
from ragbase.formats.table import FORMATS, STANDARD
from tests.unit.formats.pdf.pdf_files import pdf

PDF = pdf([(10, "The wind fills the sail.")])
TEXT_FORMATS = [format for format in FORMATS if format in STANDARD and format != "pdf"]


def zip_file() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<document/>")
    return file.getvalue()


def refusal(data: bytes, promised: str) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        FormatExtractor().detect(data, promised)
    return caught.value


@pytest.mark.parametrize("promised", [*TEXT_FORMATS, "pdf"])
def test_a_pdf_is_a_pdf_whatever_its_name(promised: str) -> None:
    assert FormatExtractor().detect(PDF, promised) == "pdf"


def test_a_pdf_may_have_junk_before_its_header() -> None:
    assert FormatExtractor().detect(b"junk\n" * 100 + PDF, "pdf") == "pdf"


@pytest.mark.parametrize("promised", TEXT_FORMATS)
@pytest.mark.parametrize("data", [b"", b"# Boats", b"[]", b"%PDF-1.7 is how a PDF begins.", b"A file with %PDF-1.4\n"])
def test_text_is_what_its_name_promises(data: bytes, promised: str) -> None:
    assert FormatExtractor().detect(data, promised) == promised


@pytest.mark.parametrize(
    ("data", "kind"),
    [(b"# Boats", "something else"), (b"", "empty"), (zip_file(), "ZIP archive"), (b"%PDF" * 500, "something else")],
)
def test_a_promised_pdf_that_is_none_is_corrupt(data: bytes, kind: str) -> None:
    error = refusal(data, "pdf")
    assert error.code is ErrorCode.CORRUPT_FILE
    assert kind in error.reason
    assert "Upload the original PDF" in error.reason


@pytest.mark.parametrize("promised", TEXT_FORMATS)
@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (zip_file(), "Office document"),
        (gzip.compress(b"text", mtime=0), "gzip"),
        (b"MZ\x90\x00\x03", "Windows program"),
    ],
)
def test_a_binary_format_under_a_text_s_name_is_refused_by_its_own(data: bytes, kind: str, promised: str) -> None:
    error = refusal(data, promised)
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert kind in error.reason
    assert "Export the content" in error.reason


@pytest.mark.parametrize("promised", [*TEXT_FORMATS, None])
@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "jpeg"),
        (b"GIF89a\1\0", "gif"),
        (b"{\\rtf1\\ansi Boats}", "rtf"),
    ],
)
def test_a_picture_or_an_office_document_under_a_text_s_name_is_what_it_is(
    data: bytes, format: str, promised: str | None
) -> None:
    assert FormatExtractor().detect(data, promised) == format
    with pytest.raises(PermanentError, match=f"format {format} are not allowed here"):
        FormatExtractor(allowed=STANDARD).detect(data, promised)


def test_each_format_has_a_version_of_its_own() -> None:
    versions = {format: FormatExtractor().version(format, ProcessingConfig()) for format in FORMATS}
    assert versions.pop("pdf") == "pdf-v4-text"
    assert all(version.startswith(f"{format}-v") for format, version in versions.items())
    assert FormatExtractor().versions.split(",") == [
        "pdf-v4",
        *(version for format, version in versions.items() if format in STANDARD),
    ]


def test_a_format_of_a_newer_version_is_refused_by_its_name() -> None:
    error = refusal(b"text", "hologram")
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "'hologram'" in error.reason and "pdf, html, ipynb, jsonl, json" in error.reason
    with pytest.raises(PermanentError, match="'hologram'"):
        FormatExtractor().extract(b"text", "hologram", ProcessingConfig())


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b'{"a": {"b": 1}}', "json"),
        (b'[{"a": 1}]', "json"),
        ('[\n {"a": 1}]'.encode("utf-16"), "json"),
    ],
)
@pytest.mark.parametrize("promised", TEXT_FORMATS)
def test_the_content_decides_before_the_name(data: bytes, format: str, promised: str) -> None:
    found = FormatExtractor().detect(data, promised)
    assert found == format
    assert FormatExtractor().detect(data, found) == found


@pytest.mark.parametrize("promised", [format for format in TEXT_FORMATS if format != "code"])
def test_a_page_is_a_page_under_the_name_of_any_text_but_code(promised: str) -> None:
    assert FormatExtractor().detect(b"<!doctype html><p>x", promised) == "html"
    assert FormatExtractor().detect(b"<!doctype html><?php sail() ?>", "code") == "code"


@pytest.mark.parametrize("promised", ["txt", "md", "html", "json", "csv"])
def test_front_matter_makes_markdown_of_a_text(promised: str) -> None:
    assert FormatExtractor().detect(b"---\ntitle: x\n---\n", promised) == "md"


@pytest.mark.parametrize("promised", ["yaml", "code", "config", "log", "rst", "adoc", "org", "tex", "man"])
def test_a_text_of_lines_may_look_like_markdown_or_a_table(promised: str) -> None:
    assert FormatExtractor().detect(b"---\ntitle: x\n---\n", promised) == promised
    assert FormatExtractor().detect(b"a,b,c\n" + b"1,2,3\n" * 4, promised) == promised


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (PDF, "pdf"),
        (b"<!doctype html><p>x", "html"),
        (b"---\ntitle: x\n---\n", "md"),
        (b'{"a": 1}', "json"),
        (b'{"a": 1}\n{"a": 2}', "jsonl"),
        (b"a,b,c\n" + b"1,2,3\n" * 4, "csv"),
        (b'{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "x"}]}', "ipynb"),
        (b'<?xml version="1.0"?><boats/>', "xml"),
        (b'.\\" A licence.\n.TH SAIL 1\n.SH NAME\nsail\n', "man"),
        (b"== Sails\n\n[source,console]\n----\n# hoist\n----\n\n[NOTE]\nWind.\n", "adoc"),
        (b"Sails\n=====\n\n.. note:: Wind.\n\nSee :ref:`oars`.\n", "rst"),
    ],
)
def test_content_that_proves_a_format_needs_no_name(data: bytes, format: str) -> None:
    assert FormatExtractor().detect(data, None) == format


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "It is empty"),
        (bytes(range(256)), "It is no text"),
        (zip_file(), "It is a ZIP"),
    ],
)
def test_content_that_is_no_text_and_proves_nothing_needs_a_name(data: bytes, reason: str) -> None:
    with pytest.raises(PermanentError, match="This kind of file is not supported") as caught:
        FormatExtractor().detect(data, None)
    assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT
    assert reason in caught.value.reason and "pdf, html" in caught.value.reason


@pytest.mark.parametrize(
    "data", [b"# Boats\n\nThe wind fills the sail.\n", b".. note:: A boat\n", "Die Pumpe läuft.".encode("latin-1")]
)
def test_plain_text_needs_no_name(data: bytes) -> None:
    assert FormatExtractor().detect(data, None) == "txt"


@pytest.mark.parametrize("data", [b"[1]", b"[link](x.md) {x}", b"{}", b"{x}", b'{"a": 1', b'"text"', b"[[]" * 40_000])
def test_what_may_as_well_be_text_is_what_its_name_promises(data: bytes) -> None:
    assert FormatExtractor().detect(data, "md") == "md"


def test_only_allowed_formats_are_read() -> None:
    extractor = FormatExtractor(allowed=allowed_formats("md, JSON"))
    assert (extractor.detect(b"# Boats", "md"), extractor.allows("txt")) == ("md", False)
    assert extractor.detect(b'{"a": 1}', "txt") == "json"  # the content decides
    assert extractor.detect(b'{"a": 1}', None) == "json"
    for data, promised in ((b"Boats", "txt"), (PDF, "md"), (PDF, None)):
        with pytest.raises(PermanentError, match="Allowed are json, md") as caught:
            extractor.detect(data, promised)
        assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT
    with pytest.raises(ConfigurationError, match="names hologram, but the formats are pdf"):
        allowed_formats("md,hologram")
