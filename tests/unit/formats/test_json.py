"""JSON as Markdown: nothing is lost, and headings say where a value is."""

from __future__ import annotations

import base64
import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor

words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=30,
)


def render(text: str | bytes) -> str:
    return (
        FormatExtractor().extract(text.encode() if isinstance(text, str) else text, "json", ProcessingConfig()).markdown
    )


def failure(text: str | bytes, limits: ExtractionLimits | None = None) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        FormatExtractor(limits).extract(text.encode() if isinstance(text, str) else text, "json", ProcessingConfig())
    return caught.value


def scalars(value: object) -> list[str]:
    match value:
        case dict():
            return [text for key, member in value.items() for text in (str(key), *scalars(member))]
        case list():
            return [text for item in value for text in scalars(item)]
        case str():
            return [value]
    return [json.dumps(value)]


@given(values)
def test_every_key_and_value_is_in_the_text(value: object) -> None:
    rendered = render(json.dumps(value, ensure_ascii=False))
    assert all(text in rendered for text in scalars(value))


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (
            '{"name": "Sloop", "masts": 1, "old": true, "flag": null}',
            "- name: Sloop\n- masts: 1\n- old: true\n- flag: null",
        ),
        ('{"boat": {"hull": {"wood": "oak"}}, "year": 1901}', "- year: 1901\n\n# boat\n\n## hull\n\n- wood: oak"),
        ('{"tags": ["small", "fast"], "none": [], "no": {}}', "- tags: small, fast\n- none: []\n- no: {}"),
        ('["a", "b"]', "- a\n- b"),
        ('"Sloop"', "- Sloop"),
        ("-0.10e5", "- -0.10e5"),
        ('{"same": 1, "same": 2}', "- same: 1\n- same: 2"),
        ('{"nan": NaN, "inf": -Infinity}', "- nan: NaN\n- inf: -Infinity"),
        (
            '{"boats": [{"name": "Sloop", "masts": 1}, {"masts": 2}]}',
            "# boats\n\n## boats 1: Sloop\n\n- name: Sloop\n- masts: 1\n\n## boats 2\n\n- masts: 2",
        ),
        ("[[1, 2], [3, [4]]]", "- item 1: 1, 2\n\n# item 2\n\n- item 2 1: 3\n- item 2 2: 4"),
        ('{"log": "# no heading\\n```\\nno fence"}', "- log:\n  > # no heading\n  > ```\n  > no fence"),
        ('{"a\\n# b": 1, "": 2}', '- a # b: 1\n- "": 2'),
        (
            '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":1}}}}}}}}',
            "# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f\n\n###### f › g\n\n- h: 1",
        ),
    ],
)
def test_rendering(text: str, markdown: str) -> None:
    assert render(text) == markdown


def test_a_long_key_is_kept() -> None:
    key = "k" * 300
    assert render(json.dumps({key: 1, f"{key}2": {"a": 2}})) == f"- {key}: 1\n\n# {key}2\n\n- a: 2"


def test_a_huge_number_keeps_every_digit() -> None:
    assert render("9" * 100_000) == "- " + "9" * 100_000


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1,\n "b": }', "line 2, column 7"),
        ('{"a": 1', "line 1, column 8"),
        ("Boats", "line 1, column 1"),
        ('{"a": 1}\nBoats', "line 2, column 1"),
    ],
)
def test_broken_json_is_corrupt_at_a_line_and_column(text: str, where: str) -> None:
    error = failure(text)
    assert error.code is ErrorCode.CORRUPT_FILE
    assert where in error.reason


@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 80 + "1" + "}" * 80], ids=["lists", "objects"]
)
def test_json_that_is_nested_too_deep_is_refused(text: str) -> None:
    error = failure(text)
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "64 levels" in error.reason


def test_json_that_unpacks_to_too_much_text() -> None:
    text = json.dumps([{"b": 1}] * 100)
    error = failure(text, ExtractionLimits(max_text_characters=len(text)))
    assert error.code is ErrorCode.FILE_TOO_LARGE


def test_what_no_database_takes_is_replaced() -> None:
    assert render(r'{"a": "x\ud800y", "b": "x\u0000y", "c": "\ud83d\ude00"}') == "- a: x\ufffdy\n- b: x\ufffdy\n- c: 😀"


def test_json_in_another_encoding() -> None:
    assert render('{"city": "Köln"}'.encode("utf-16")) == "- city: Köln"


def test_each_entry_of_a_list_is_a_group_of_passages() -> None:
    text = json.dumps(
        {"fleet": "north", "boats": [{"name": "Sloop"}, {"name": "Ketch", "crew": [{"id": 1}]}], "end": {"a": 1}}
    )
    extraction = FormatExtractor().extract(text.encode(), "json", ProcessingConfig())
    passages = MarkdownChunker().split(extraction)
    assert [passage.text for passage in passages] == [
        "- fleet: north\n\n# boats",
        "## boats 1: Sloop\n\n- name: Sloop",
        "## boats 2: Ketch\n\n- name: Ketch\n\n### crew\n\n#### crew 1\n\n- id: 1",
        "# end\n\n- a: 1",
    ]
    assert all(extraction.markdown[one.char_start : one.char_end] == one.text for one in passages)


def test_a_long_text_has_a_heading_of_its_own_in_every_passage() -> None:
    story = "The wind fills the sail. " * 100
    passages = MarkdownChunker().split(
        FormatExtractor().extract(json.dumps({"a": {"story": story}}).encode(), "json", ProcessingConfig())
    )
    assert len(passages) > 2
    assert all(passage.header_path == ("a", "story") for passage in passages)


def test_what_looks_like_markdown_in_a_long_text_is_quoted() -> None:
    assert render(json.dumps({"log": "# no heading\n" + "x" * 400})) == "# log\n\n> # no heading\n> " + "x" * 400


def test_numbers_that_only_python_writes_are_kept() -> None:
    assert (
        render('{"a": NaN, "b": -Infinity, "c": 1E+400, "d": -0.0}')
        == "- a: NaN\n- b: -Infinity\n- c: 1E+400\n- d: -0.0"
    )


def test_a_large_file_is_read_as_a_small_one() -> None:
    """It is parsed a part at a time: nested containers, scalars between them, numbers and keys that occur twice."""
    boat = '{"name": "K\\u00e4tch 😀", "price": 1.50e3, "price": 2, "crew": [{"id": 1}, 007]}'.replace("007", "7")
    count = 3_000
    text = (
        '{"site" : "north",\n"fleet": {"boats": [' + " ,\n".join([boat] * count) + ' , true ], "size": 3}, "end": -0}'
    )
    lines = [
        "- site: north",
        "- end: -0",
        "",
        "# fleet",
        "",
        "- size: 3",
        "",
        "## boats",
        "",
        f"- boats {count + 1}: true",
        "",
    ]
    for number in range(1, count + 1):
        lines += [f"### boats {number}: Kätch 😀", "", "- name: Kätch 😀", "- price: 1.50e3", "- price: 2", ""]
        lines += ["#### crew", "", "- crew 2: 7", "", "##### crew 1", "", "- id: 1", ""]
    assert render(text).split("\n") == lines[:-1]
    assert "line 3002, column" in failure(text.replace("-0}", "-}").replace("\n", "\n\n", 1)).reason


def test_a_large_text_of_numbers() -> None:
    numbers = [str(number * 7) for number in range(20_000)]
    assert render("[" + ",".join(numbers) + "]") == "\n".join(f"- {number}" for number in numbers)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_mistake_is_named_with_its_line_however_lines_end(end: str) -> None:
    with pytest.raises(PermanentError, match="not valid JSON: Unterminated string starting at line 2, column 7"):
        FormatExtractor().extract(f'{{{end} "a": "open'.encode(), "json", ProcessingConfig())


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [("", "", 0), ("data:image/png;base64,", "", 0), ("", "\n", 76), ("See the picture ", " of the pump.", 0)],
)
@pytest.mark.parametrize("format", ["json", "jsonl", "csv"])
def test_binary_data_is_left_out_with_a_note(before: str, after: str, line: int, format: str) -> None:
    packed = base64.b64encode(gzip.compress("".join(map(str, range(2000))).encode(), mtime=0)).decode()
    if line:
        packed = "\n".join(packed[start : start + line] for start in range(0, len(packed), line))
    value = {"name": "pump", "picture": f"{before}{packed}{after}", "note": "It stands in the cellar."}
    if format == "csv":
        data = "name,picture,note\n" + ",".join('"' + cell.replace('"', '""') + '"' for cell in value.values())
    else:
        data = json.dumps(value)
    extraction = FormatExtractor().extract(data.encode(), format, ProcessingConfig())
    assert packed[:50] not in extraction.markdown and packed[-50:] not in extraction.markdown
    words = ["pump", "picture", "It stands in the cellar.", *([before.strip(), after.strip()] if after.strip() else [])]
    assert [word for word in words if word not in extraction.markdown] == []
    (left_out,) = extraction.left_out
    assert packed in left_out.text
    assert left_out.note.startswith("Left out: binary data in base64 (") and packed[:9] not in left_out.note


@pytest.mark.parametrize(
    "text",
    ["ACGTTGCA" * 100, "0123456789abcdef" * 50, "word " * 200, "getElementByIdAndClassName" * 40, "a" * 2000],
)
def test_other_long_values_stay(text: str) -> None:
    extraction = FormatExtractor().extract(json.dumps({"a": text}).encode(), "json", ProcessingConfig())
    assert text.strip() in extraction.markdown and not extraction.left_out
