"""Text files in every encoding that people save, and what is refused as no text."""

from __future__ import annotations

import codecs
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor

GERMAN = "# Überschrift\n\nDer Fluß überquert die Straße, wo Käse verkauft wird. Größe und Übermut tun selten gut.\n"
RUSSIAN = "Это русский текст для проверки кодировки. Москва: столица России, большой и старый город.\n"
CHINESE = "这是一个中文文档，用于测试编码检测。北京是中国的首都，有很长的历史。\n"


def markdown(data: bytes, format: str = "txt") -> str:
    return FormatExtractor().extract(data, format).markdown


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_utf8_comes_out_as_it_is(text: str) -> None:
    for format in ("txt", "md"):
        assert markdown(text.encode(), format) == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "latin-1"),
        ("It’s “quoted” – naïve café costs €5, and the façade was paid in full.\n" * 3, "cp1252"),
        (RUSSIAN, "koi8-r"),
        (RUSSIAN, "cp1251"),
        (CHINESE, "gb18030"),
        ("これは日本語の文章です。東京は日本の首都です。とても大きい町です。\n", "shift_jis"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-32"),
        (CHINESE, "utf-16"),
        (CHINESE, "utf-8-sig"),
        (GERMAN.replace("\n", "\r\n"), "utf-16"),
        (GERMAN.replace("\n", "\r\n"), "latin-1"),
    ],
)
def test_other_encodings_are_recognised(text: str, encoding: str) -> None:
    assert markdown(text.encode(encoding)) == text


def test_byte_order_marks_are_no_text() -> None:
    assert markdown(codecs.BOM_UTF16_BE + GERMAN.encode("utf-16-be")) == GERMAN


def test_a_truncated_utf8_file_loses_only_its_last_character() -> None:
    data = (CHINESE * 20).encode()[:-2]
    assert markdown(data) == (CHINESE * 20)[:-2] + "\ufffd"


def test_a_text_that_contradicts_its_byte_order_mark_is_corrupt() -> None:
    with pytest.raises(PermanentError, match="begins as UTF-16-LE, but byte 6") as caught:
        markdown(codecs.BOM_UTF16_LE + "abc".encode("utf-16-le") + b"\x00\xd8")
    assert caught.value.code is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize(
    "data",
    [
        random.Random(1).randbytes(5000),
        random.Random(2).randbytes(5000).replace(b"\0", b""),
        b"\x7fELF and other words\0\0\0" * 20,
        b"text with one NUL\0 in it " * 20,
        codecs.BOM_UTF16_LE + b"a\0\0\0" * 20,
    ],
    ids=["random", "random without NUL", "program", "one NUL", "NUL in UTF-16"],
)
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(PermanentError, match="binary data") as caught:
        markdown(data)
    assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "Export the content as text, Markdown or PDF" in caught.value.reason


def test_an_empty_file_is_an_empty_text_in_every_text_format() -> None:
    assert {markdown(b"", format) for format in ("txt", "md", "json")} == {""}


def test_more_text_than_one_document_may_have() -> None:
    with pytest.raises(PermanentError, match="has 11 characters of text; at most 10 are read") as caught:
        FormatExtractor(ExtractionLimits(max_text_characters=10)).extract(b"eleven char", "txt")
    assert caught.value.code is ErrorCode.FILE_TOO_LARGE
