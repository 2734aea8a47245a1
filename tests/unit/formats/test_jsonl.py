"""JSON Lines: each line is an entry."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor


def test_each_line_is_an_entry() -> None:
    data = b'{"name": "Sloop", "price": 1.50, "price": 2}\r\n\n{"name": "K\\u00e4tch"}\n[1, [2]]\n'
    extraction = FormatExtractor().extract(data, "jsonl", ProcessingConfig())
    assert [passage.text for passage in MarkdownChunker().split(extraction)] == [
        "# item 1: Sloop\n\n- name: Sloop\n- price: 1.50\n- price: 2",
        "# item 2: Kätch\n\n- name: Kätch",
        "# item 3\n\n- item 3 1: 1\n- item 3 2: 2",
    ]


@pytest.mark.parametrize("promised", ["json", "txt", "md", "csv", "jsonl"])
def test_lines_of_objects_are_json_lines_whatever_the_name(promised: str) -> None:
    assert FormatExtractor().detect(b'{"a": 1}\n{"a": 2}\n', promised) == "jsonl"
    assert FormatExtractor().detect('{"a": 1}\n{"a": 2}\n'.encode("utf-16"), promised) == "jsonl"


def test_one_value_over_several_lines_is_json() -> None:
    assert FormatExtractor().detect(b'{\n "a": 1\n}', "jsonl") == "json"


def test_a_broken_line_is_corrupt_at_its_line_and_column() -> None:
    with pytest.raises(PermanentError, match="line 4, column 7") as caught:
        FormatExtractor().extract(b'{"a": 1}\n{"a": 2}\n\n{"a": }', "jsonl", ProcessingConfig())
    assert caught.value.code is ErrorCode.CORRUPT_FILE


def test_lines_that_are_nested_too_deep() -> None:
    with pytest.raises(PermanentError, match="64 levels"):
        FormatExtractor().extract(b"{}\n" + b"[" * 100_000 + b"]" * 100_000, "jsonl", ProcessingConfig())
