"""Documents of old Word, Excel and PowerPoint, and mails of Outlook."""

from __future__ import annotations

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.office_documents import ROPE, WIND
from tests.old_office_documents import OLD_DOCUMENTS, compound

pytestmark = pytest.mark.usefixtures("read_here")


@pytest.mark.parametrize("format", OLD_DOCUMENTS)
def test_their_content_says_what_they_are_and_is_read(format: str) -> None:
    extractor = FormatExtractor()
    data = OLD_DOCUMENTS[format]
    for promised in (format, None, "docx", "txt"):
        assert extractor.detect(data, promised) == format
    markdown = extractor.extract(data, format, ProcessingConfig()).markdown
    assert WIND in markdown
    assert format == "ppt" or ROPE in markdown


def test_the_rows_of_an_old_workbook_have_their_columns() -> None:
    markdown = FormatExtractor().extract(OLD_DOCUMENTS["xls"], "xls", ProcessingConfig()).markdown
    assert markdown.startswith("# Fees\n\n## row 2\n\n- Length: 8 m\n- Night: 12\n\n## row 3\n\n")
    assert markdown.endswith("## row 4\n\n- Night: 4.5")


def test_an_outlook_mail_has_its_subject() -> None:
    extraction = FormatExtractor().extract(OLD_DOCUMENTS["msg"], "msg", ProcessingConfig())
    assert extraction.metadata.title == "The Möwe needs paint"
    assert "Ann <ann@example.com>" in extraction.markdown


def test_a_password_and_damage_have_their_codes() -> None:
    word = bytearray(OLD_DOCUMENTS["doc"])
    word[word.index(b"\xec\xa5") + 11] |= 1
    extractor = FormatExtractor()
    locked = {
        "doc": bytes(word),
        "ppt": compound({"PowerPoint Document": b"\1" * 90, "Current User": b"\xf6\x0f\0\0\x14\0\0\0\xdf\xc4\xd1\xf3"}),
    }
    for format, data in locked.items():
        with pytest.raises(PermanentError) as caught:
            extractor.extract(data, format, ProcessingConfig())
        assert caught.value.code is ErrorCode.PASSWORD_PROTECTED
    for format, data in OLD_DOCUMENTS.items():
        with pytest.raises(PermanentError) as caught:
            extractor.extract(data[:600], format, ProcessingConfig())
        assert caught.value.code is ErrorCode.CORRUPT_FILE
        with pytest.raises(PermanentError) as caught:
            extractor.detect(b"# Boats\n", format)
        assert caught.value.code is ErrorCode.CORRUPT_FILE
