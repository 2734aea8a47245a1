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


def test_a_line_that_is_cut_is_kept_as_text_and_named() -> None:
    lines = "".join(f'{{"q": "question {n}"}}\n' for n in range(200))
    extraction = FormatExtractor().extract(f'{lines}{{"q": "las'.encode(), "jsonl", ProcessingConfig())
    assert extraction.markdown.count("- q: question") == 200
    assert extraction.markdown.endswith('# item 201\n\n{"q": "las')
    assert extraction.notes == (
        "1 line is not valid JSON, and is read as plain text: Unterminated string starting at line 201, column 7.",
    )


def test_the_lines_of_a_log_between_the_records_are_kept() -> None:
    data = b'starting\n{"a": 1}\n\n# no heading\n{"a": 2}\nTraceback\nValueError\n'
    extraction = FormatExtractor().extract(data, "jsonl", ProcessingConfig())
    assert [passage.text for passage in MarkdownChunker().split(extraction)] == [
        "# item 1\n\nstarting",
        "# item 2\n\n- a: 1",
        "# item 3\n\n> # no heading",
        "# item 4\n\n- a: 2",
        "# item 5\n\nTraceback",
        "# item 6\n\nValueError",
    ]
    assert "4 lines are not valid JSON" in extraction.notes[0] and extraction.notes[0].endswith("; and 1 more.")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_each_of_three_ways(end: str) -> None:
    data = end.join(['{"a": "one\\rtwo\\r\\nthree"}', "", '{"a": 2}', '{"a"', ""]).encode()
    assert FormatExtractor().detect(data, "txt") == "jsonl"
    extraction = FormatExtractor().extract(data, "jsonl", ProcessingConfig())
    assert extraction.markdown == (
        '# item 1\n\n- a:\n  > one\n  > two\n  > three\n\n# item 2\n\n- a: 2\n\n# item 3\n\n{"a"'
    )
    assert "line 4, column 5" in extraction.notes[0]


def test_a_file_without_a_line_of_json_is_corrupt_at_its_first_mistake() -> None:
    with pytest.raises(PermanentError, match="delimiter at line 2, column 9") as caught:
        FormatExtractor().extract(b'\n{"a": 1 \nplain text\n', "jsonl", ProcessingConfig())
    assert caught.value.code is ErrorCode.CORRUPT_FILE


def test_lines_that_are_nested_too_deep() -> None:
    with pytest.raises(PermanentError, match="64 levels"):
        FormatExtractor().extract(b"{}\n" + b"[" * 100_000 + b"]" * 100_000, "jsonl", ProcessingConfig())
