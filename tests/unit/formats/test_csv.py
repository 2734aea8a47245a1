"""Tables of separated values: each row is an entry with the header's names in it."""

from __future__ import annotations

import csv
import io
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.csv import LONGEST_NAME, Row, open_table
from ragbase.formats.csv_rows import MAX_CELL
from ragbase.formats.extractor import FormatExtractor

cells = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]) | st.just("\n"), max_size=8)


def extract(data: bytes, format: str = "csv") -> Extraction:
    return FormatExtractor().extract(data, format, ProcessingConfig())


def rows(data: bytes, **given: str) -> list[Row]:
    return list(open_table(io.BytesIO(data), **given).rows)


def test_each_row_is_a_passage_with_the_names_of_the_header() -> None:
    extraction = extract(b"name,masts,note\nSloop,1,\nKetch,2,fast\n")
    passages = MarkdownChunker().split(extraction)
    assert [(passage.header_path, passage.text) for passage in passages] == [
        (("row 1: Sloop",), "# row 1: Sloop\n\n- name: Sloop\n- masts: 1"),
        (("row 2: Ketch",), "# row 2: Ketch\n\n- name: Ketch\n- masts: 2\n- note: fast"),
    ]


def test_every_part_of_a_long_row_names_its_row_and_column() -> None:
    answer = "The wind fills the sail, and the boat begins to move. " * 60
    passages = MarkdownChunker().split(extract(f'question,answer\nWhy?,"{answer}"\nHow?,so\n'.encode()))
    assert [passage.header_path for passage in passages[1:-1]] == [("row 1", "answer")] * (len(passages) - 2)
    assert passages[0].header_path == ("row 1",) and "question: Why?" in passages[0].text
    assert passages[-1].text == "# row 2\n\n- question: How?\n- answer: so"
    assert len(passages) > 4
    assert [passage.row for passage in passages] == [1] * (len(passages) - 1) + [2]


def test_what_is_in_no_row_has_no_number() -> None:
    name = "n" * (LONGEST_NAME + 1)
    passages = MarkdownChunker().split(extract(f"a,{name},empty\n1,2,\n\n3,4,\n".encode()))
    assert [(passage.row, passage.text.split()[1]) for passage in passages] == [
        (None, "names"),
        (1, "row"),
        (2, "row"),
        (None, "columns"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiter_and_encoding_are_found(delimiter: str, encoding: str) -> None:
    text = "\r\n".join(
        delimiter.join(row)
        for row in [("Name", "Straße", "Größe"), ("Müller", "Königsallee 5", "1.5"), ("Schön", "Ölweg", "")]
    )
    table = open_table(io.BytesIO(text.encode(encoding)))
    assert table.delimiter == delimiter
    assert table.headers == ("Name", "Straße", "Größe")
    assert [row.cells[1][1] for row in table.rows] == ["Königsallee 5", "Ölweg"]
    assert "- Straße: Königsallee 5" in extract(text.encode(encoding)).markdown


def test_delimiter_and_encoding_can_be_given() -> None:
    data = "a;b\n1,5;ф\n".encode("cp1251")
    assert rows(data, delimiter=",", encoding="cp1251") == [
        Row(1, 2, (("a;b", "1"), ("column 2", "5;ф")), "it has 2 values, but the header has 1 names")
    ]


def test_a_cell_may_have_quotes_delimiters_and_line_ends() -> None:
    extraction = extract(b'a,b\n"x, ""y""","# no\nheading"\n')
    assert extraction.markdown == '# row 1\n\n- a: x, "y"\n- b:\n  > # no\n  > heading'


def test_rows_that_are_not_as_the_header_wants_are_kept_and_named() -> None:
    data = b'id,text\n7,"two\nlines"\n2,x,more\n\n3\n4,"unclosed\n5,z\n'
    assert [(row.number, row.line, row.problem is None) for row in rows(data)] == [
        (1, 2, True), (2, 4, False), (3, 6, False), (4, 7, False), (5, 8, True),
    ]  # fmt: skip
    extraction = extract(data)
    assert "- column 3: more" in extraction.markdown and '- text: "unclosed' in extraction.markdown
    assert extraction.notes == ("Row 2 (line 4): it has 3 values, but the header has 2 names, and 2 more rows.",)


def test_a_long_name_of_a_column_is_shown_in_full_once() -> None:
    name = "n" * 300
    assert extract(f"{name},b\n1,2\n3,4\n".encode()).markdown == (
        f"- names of columns in full: {name}\n\n# row 1\n\n- {'n' * 200}: 1\n- b: 2\n\n"
        f"# row 2\n\n- {'n' * 200}: 3\n- b: 4"
    )


def test_a_cell_beyond_the_limit_stays_text() -> None:
    extraction = extract(b"a,b\n" + b"x" * (MAX_CELL + 1) + b",y\nz,1\n")
    assert "x" * (MAX_CELL + 1) in extraction.markdown and "- a: z" in extraction.markdown
    assert "Row 1 (line 2)" in extraction.notes[0]


@pytest.mark.parametrize("encoding", [None, "tcvn3"])
def test_a_file_is_closed_after_its_last_row(tmp_path: Path, encoding: str | None) -> None:
    """Closed, and not left to the garbage collector, which would warn."""
    path = tmp_path / "table.csv"
    path.write_bytes(b"id\n1\n")
    with path.open("rb") as file:
        assert len(list(open_table(file, encoding=encoding).rows)) == 1
        assert file.closed


def test_rows_are_read_as_they_are_asked_for() -> None:
    file = io.BytesIO(b"a,b\n" + b"1,2\n" * 1_000_000)
    table = open_table(file)
    assert [row.number for row in islice(table.rows, 3)] == [1, 2, 3]
    assert file.tell() < 200_000


@given(st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=20))
def test_no_value_is_lost(table: list[tuple[str, str, str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([("first", "second", "third"), *table])
    values = [[value for _, value in row.cells] for row in rows(file.getvalue().encode(), delimiter=",")]
    assert values == [list(row) for row in table if any(cell.strip() for cell in row)]


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_no_letter_of_any_text_is_lost(text: str) -> None:
    kept = extract(text.encode()).markdown
    assert {c for c in text if c.isalnum()} <= set(kept)


TABLE = "name{0}masts{0}length\n" + "".join(f"boat {n}{{0}}{n}{{0}}7\n" for n in range(6))


@pytest.mark.parametrize(("delimiter", "format"), [(",", "csv"), (";", "csv"), ("\t", "tsv")])
def test_a_table_is_one_whatever_its_name(delimiter: str, format: str) -> None:
    assert FormatExtractor().detect(TABLE.format(delimiter).encode(), "txt") == format
    assert "- masts: 5" in extract(TABLE.format(delimiter).encode(), format).markdown


@pytest.mark.parametrize(
    "text",
    [
        "Dear all,\nthe ferry leaves at noon, and the bus, too.\nBest, Ann\n" * 3,
        "2024-01-01 12:00:00,123 INFO started\n" * 20,
        "for (i = 0; i < 3; i++) {\n  a[i] = b;\n  c(i, j, k);\n}\n" * 5,
        "1,2,3\n" * 20,
    ],
    ids=["letter", "log", "code", "numbers"],
)
def test_other_text_is_no_table(text: str) -> None:
    assert FormatExtractor().detect(text.encode(), "txt") == "txt"


def test_a_table_of_one_column_and_one_without_rows() -> None:
    assert extract(b"word\nsail\nmast\n").markdown == "# row 1\n\n- word: sail\n\n# row 2\n\n- word: mast"
    assert extract(b"name,masts\n").markdown == "- columns without values: name, masts"
    assert extract(b"\n\n").markdown == ""


@pytest.mark.slow
def test_rows_in_another_encoding_than_the_rest_of_the_file() -> None:
    lines = ["Name;Ort\n", *(f"Müller {n};Köln\n" for n in range(50_000)), "Jäger;Fürth\n", "Schön;Ölweg\n"]
    data = b"".join(line.encode("cp1252" if line.startswith("Jäg") else "utf-8") for line in lines)
    table = open_table(io.BytesIO(data))
    assert table.notes == ("Lines that are not in UTF-8 like the rest are read as cp1252.",)
    assert [value for row in list(table.rows)[-2:] for _, value in row.cells] == ["Jäger", "Fürth", "Schön", "Ölweg"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "tcvn3", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_each_of_three_ways(encoding: str, end: str) -> None:
    text = end.join(["a;b", "1;2", "", '3;"x', 'y"', ""])
    data = text.encode("ascii" if encoding == "tcvn3" else encoding)
    assert [[value for _, value in row.cells] for row in rows(data, encoding=encoding)] == [
        ["1", "2"],
        ["3", f"x{end}y"],
    ]
    assert extract(data).markdown == "# row 1\n\n- a: 1\n- b: 2\n\n# row 2\n\n- a: 3\n- b:\n  > x\n  > y"
