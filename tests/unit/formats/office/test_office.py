"""Office documents, good and bad: every file here is a real one, read by the real library."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import pytest

from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.extras import install_command
from ragbase.formats import libraries
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor, allowed_formats
from ragbase.formats.libraries import Library, missing_libraries
from ragbase.formats.table import FORMATS, OFFICE, STANDARD, format_of
from tests.office_documents import (
    DOCUMENTS,
    ROPE,
    WIND,
    archive,
    docx,
    encrypted_package,
    epub,
    odt,
    relationships,
    xlsx,
)

pytestmark = pytest.mark.usefixtures("read_here")

TABLE = "| Length | Night |\n| --- | --- |\n| 8 m | 12 |"
SPREADSHEETS = ("xlsx", "ods")
BOTH = allowed_formats("standard,office")


def extract(data: bytes, format: str, limits: ExtractionLimits | None = None) -> Extraction:
    extractor = FormatExtractor(limits, BOTH)
    assert extractor.detect(data, format) == format
    return extractor.extract(data, format, ProcessingConfig())


def failure(data: bytes, format: str, limits: ExtractionLimits | None = None) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        extract(data, format, limits)
    return caught.value


@pytest.mark.slow
@pytest.mark.usefixtures("in_its_process")
@pytest.mark.parametrize("format", DOCUMENTS)
def test_every_format_becomes_markdown_with_all_of_its_text(format: str) -> None:
    markdown = extract(DOCUMENTS[format], format).markdown
    assert WIND in markdown
    if format in ("docx", "odt", "epub"):
        assert markdown.startswith("# Sailing\n\n")
    if format in ("docx", "odt"):
        assert TABLE in markdown
    if format not in SPREADSHEETS:
        assert markdown.index(WIND) < markdown.index(ROPE)


def test_slides_are_pages() -> None:
    extraction = extract(DOCUMENTS["pptx"], "pptx")
    first, second = (extraction.markdown[page.start : page.end] for page in extraction.pages)
    assert (first, second) == (f"## Sailing\n\n{WIND}", f"## Mooring\n\n{ROPE}")


def test_titles_and_other_letters_than_ascii_are_kept() -> None:
    assert extract(DOCUMENTS["epub"], "epub").metadata.title == "The harbour book"
    rtf = extract(DOCUMENTS["rtf"], "rtf")
    assert rtf.metadata.title == "The harbour"
    assert "Größe: €5." in rtf.markdown


def test_a_mail_has_its_headers_and_the_names_of_what_is_attached() -> None:
    mail = extract(DOCUMENTS["eml"], "eml")
    assert mail.metadata.title == "The Möwe needs paint"
    assert "ann@example.com" in mail.markdown and "list.txt" in mail.markdown
    assert "what is attached" not in mail.markdown
    assert mail.markdown.count(ROPE) == 1  # it stands there as text and as a page


@pytest.mark.parametrize("format", sorted(DOCUMENTS.keys() - {"eml"}))
def test_the_content_proves_the_format(format: str) -> None:
    extractor = FormatExtractor(allowed=BOTH)
    for promised in (None, "txt", "pdf", "docx", "rtf"):
        assert extractor.detect(DOCUMENTS[format], promised) == format


@pytest.mark.parametrize("format", sorted(DOCUMENTS))
def test_they_are_on_unless_the_setting_leaves_them_out(format: str) -> None:
    named = format_of(f"report.{format}")
    assert named is not None and named.lane is Lane.HEAVY
    assert FormatExtractor().detect(DOCUMENTS[format], format) == format
    with pytest.raises(PermanentError, match=f"format {format} are not allowed.*allowed_formats") as caught:
        FormatExtractor(allowed=STANDARD).detect(DOCUMENTS[format], format)
    assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT


def test_words_of_the_setting() -> None:
    assert set(allowed_formats("")) == set(FORMATS)
    assert allowed_formats("office") == OFFICE
    assert allowed_formats("Standard, office") == STANDARD | OFFICE
    assert allowed_formats("md,docx") == {"md", "docx"}
    with pytest.raises(ConfigurationError, match=r"names hologram, but the formats are pdf.*standard, office"):
        allowed_formats("hologram")


def test_their_versions_do_not_touch_an_index_of_the_other_formats() -> None:
    assert FormatExtractor(allowed=STANDARD).versions == FormatExtractor().versions


@pytest.mark.parametrize("format", sorted(DOCUMENTS.keys() - {"eml", "rtf"}))
def test_a_document_without_its_end_is_corrupt(format: str) -> None:
    data = DOCUMENTS[format]
    assert failure(data[: len(data) // 2], format).code is ErrorCode.CORRUPT_FILE


def test_a_document_whose_parts_cannot_be_unpacked_is_corrupt() -> None:
    data = bytearray(DOCUMENTS["odt"])
    name = b"content.xml"
    begin = data.index(name) + len(name)
    data[begin : begin + 20] = b"\xff" * 20
    data[-2:] = b"\x09\x00"  # the archive promises a comment that is not there
    assert failure(bytes(data), "odt").code is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize("format", sorted(DOCUMENTS.keys() - {"eml"}))
@pytest.mark.parametrize("data", [b"", b"\x00\xff\x80" * 300, b"PK\x03\x04" + b"\x00\xff" * 300])
def test_something_else_under_its_name_is_corrupt(format: str, data: bytes) -> None:
    assert failure(data, format).code is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize("format", ["docx", "pptx", "xlsx"])
def test_a_document_with_a_password(format: str) -> None:
    error = failure(encrypted_package(), format)
    assert error.code is ErrorCode.PASSWORD_PROTECTED
    assert "Remove the password" in error.reason


def test_an_open_document_with_a_password() -> None:
    encrypted = odt(
        "<manifest:file-entry manifest:full-path='content.xml'><manifest:encryption-data/></manifest:file-entry>"
    )
    assert failure(encrypted, "odt").code is ErrorCode.PASSWORD_PROTECTED


def test_an_old_document_under_a_new_name() -> None:
    error = failure(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "docx")
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "Save it in the format docx" in error.reason


@pytest.mark.parametrize(("format", "make"), [("docx", docx), ("xlsx", xlsx)])
def test_a_small_file_that_unpacks_to_much_is_too_large(format: str, make: Callable[[str], bytes]) -> None:
    bomb = make("<row/>" * 400_000)
    assert len(bomb) < 10_000
    error = failure(bomb, format, ExtractionLimits(memory_bytes=2 * 1024**2))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "2097152 bytes" in error.reason and "extract_memory" in error.reason


@pytest.mark.prove
@pytest.mark.slow
@pytest.mark.usefixtures("in_its_process")
def test_a_small_file_that_unpacks_to_a_huge_one_is_too_large() -> None:
    limits = ExtractionLimits(memory_bytes=200 * 1024**2)
    for bomb, format in ((docx("<w:p/>" * 40_000_000), "docx"), (xlsx("<row/>" * 40_000_000), "xlsx")):
        assert len(bomb) < 400_000
        error = failure(bomb, format, limits)
        assert error.code is ErrorCode.FILE_TOO_LARGE
        assert "209715200 bytes" in error.reason and "extract_memory" in error.reason


def test_more_text_than_one_document_may_have() -> None:
    assert failure(DOCUMENTS["docx"], "docx", ExtractionLimits(max_text_characters=50)).code is ErrorCode.FILE_TOO_LARGE


@pytest.mark.slow
@pytest.mark.usefixtures("in_its_process")
def test_a_reader_that_needs_too_much_memory() -> None:
    long = docx("".join(f"<w:p><w:r><w:t>{number}</w:t></w:r></w:p>" for number in range(200_000)))
    error = failure(long, "docx", ExtractionLimits(memory_bytes=256 * 1024**2))
    assert error.code is ErrorCode.FILE_TOO_LARGE
    assert "setting extract_memory" in error.reason


@pytest.mark.usefixtures("in_its_process")
def test_a_reader_that_takes_too_long() -> None:
    error = failure(DOCUMENTS["docx"], "docx", ExtractionLimits(timeout_seconds=0.001))
    assert error.code is ErrorCode.TIMEOUT
    assert "setting extract_timeout" in error.reason


def test_entities_are_not_expanded_and_files_not_read() -> None:
    entities = '<!DOCTYPE x [<!ENTITY a "AAAA"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    text = f"<w:p><w:r><w:t>{WIND[:10]} &b; &f;</w:t></w:r></w:p>"
    try:
        markdown = extract(docx(text, before=entities), "docx").markdown
    except PermanentError as error:
        assert error.code is ErrorCode.CORRUPT_FILE
    else:
        assert "AAAA" not in markdown and "root" not in markdown


def test_nothing_outside_of_the_document_is_fetched() -> None:
    """A picture, a template and a page from a server that would answer: nobody calls it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        picture = (
            '<w:p><w:r><w:drawing><a:blip xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
            f'r:link="rId9"/></w:drawing></w:r><w:r><w:t>{WIND[:20]}</w:t></w:r></w:p>'
        )
        links = relationships(("rId9", "image", url), ("rId8", "attachedTemplate", url), external=True)
        called: list[object] = []
        over = threading.Event()

        def listen() -> None:
            while not over.is_set():
                try:
                    called.append(server.accept())
                except TimeoutError:
                    continue

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            extract(docx(picture, parts={"word/_rels/document.xml.rels": links}), "docx")
            page = f'<p>{WIND}</p><img src="{url}"><iframe src="{url}"></iframe>'
            mail = f"Subject: x\r\nContent-Type: text/html\r\n\r\n{page}"
            assert WIND[:20] in extract(mail.encode(), "eml").markdown
        finally:
            over.set()
            listener.join()
    assert called == []


@pytest.mark.usefixtures("in_its_process")
def test_without_its_library_a_document_fails_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Library(("no_such_library",), "office", libraries.OFFICE.formats, libraries.OFFICE.reads)
    monkeypatch.setattr(libraries, "OFFICE", missing)
    error = failure(DOCUMENTS["docx"], "docx")
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "no_such_library" in error.reason and "extra office (`ragbase doctor`" in error.reason
    assert extract(DOCUMENTS["xlsx"], "xlsx").markdown  # needs none
    said = missing_libraries({"md", "docx"})
    assert said is not None and said.endswith(install_command("office"))
    assert missing_libraries({"md", "xlsx"}) is None


def test_a_book_whose_chapters_are_encrypted() -> None:
    protected = archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/encryption.xml": "<encryption><EncryptedData/></encryption>",
            "META-INF/container.xml": "\x01\x02",
        },
        stored="mimetype",
    )
    assert failure(protected, "epub").code is ErrorCode.PASSWORD_PROTECTED
    assert extract(epub(), "epub").markdown
