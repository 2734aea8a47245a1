"""Where a table begins in a file of separated values, and which row has its names."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.csv import open_table
from ragbase.formats.extractor import FormatExtractor

NO_NAMES = "No row has the names of the columns"


def extract(text: str, format: str = "csv") -> Extraction:
    return FormatExtractor().extract(text.encode(), format, ProcessingConfig())


def names(extraction: Extraction) -> list[str]:
    """Of the first row."""
    first = extraction.markdown.partition("# row 1")[2].partition("\n# row")[0]
    return [line[2:].partition(":")[0] for line in first.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("separator", [";", "|", "\t", ","])
@pytest.mark.parametrize("line", ["sep={}", "SEP={}", '"sep={}"', "\ufeffsep={}"])
def test_a_line_for_spreadsheets_names_the_separator_and_is_no_row(separator: str, line: str) -> None:
    text = line.format(separator) + "\r\n" + separator.join(["device", "limit"]) + "\r\n" + f"A,a;b|c{separator}5\r\n"
    values = dict(next(open_table(io.BytesIO(text.encode())).rows).cells)
    assert values["device"] == ("A" if separator == "," else "A,a" if separator == ";" else values["device"])
    assert "sep=" not in extract(text).markdown.lower()


@pytest.mark.parametrize(
    ("above", "header", "rows"),
    [
        (["Report of the waterworks", "Created: 2024-05-01", ""], "device,limit,note", ["A,4.2,floor", "B,5.1,roof"]),
        (["Umsatz 2023;;;", ";;;"], "Filiale;Ort;Leiter;Jahr", ["Nord;Kiel;Meyer;1990", "Süd;Ulm;Kunz;2001"]),
        (["売上報告", ""], "店名,都市,金額", ["北店,札幌,500", "南店,福岡,600", "西店,大阪,700"]),
        (["# exported by a tool", "# on 2024-01-01, 12:00"], "id,name,size", ["1,a,5", "2,b,6", "3,c,7"]),
        (["# made by, hand"], "name,town,street", ["Ann,Kiel,Hof", "Bob,Ulm,Weg", "Cy,Bonn,Ring"]),
        (
            ["Konto:;DE12 3456", "Zeitraum:;01.05.2024 - 31.05.2024", "Saldo:;1.234,50 EUR", ""],
            "Buchungstag;Wertstellung;Text;Betrag",
            ["02.05.2024;02.05.2024;Miete;-850,00", "03.05.2024;04.05.2024;Lohn;2.500,00"],
        ),
        (["Report of May, 2024", ""], "name,size", ["A,5", "B,6", "C,7"]),
        (["Name:,Pumps", "Date:,2024-05-01", ""], "name,size", ["A,5", "B,6", "C,7"]),
        (["## tool 1.2", "## run 7"], "#chrom\tpos\tref", ["chr1\t500\tA", "chr1\t600\tC", "chr2\t700\tG"]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_stands_above_the_names_is_text(above: list[str], header: str, rows: list[str], end: str) -> None:
    extraction = extract(end.join([*above, header, *rows, ""]))
    delimiter = next(one for one in "\t;," if one in header)
    assert names(extraction) == header.split(delimiter)
    text = extraction.markdown.partition("# row 1")[0]
    assert [word for line in above for word in line.replace(delimiter, " ").split() if word not in text] == []
    assert extraction.markdown.count("# row ") == len(rows)
    count = len([line for line in above if line.strip(delimiter)])
    said = "row stands above the table, and is" if count == 1 else f"{count} rows stand above the table, and are"
    assert extraction.notes == (f"The first {said} read as text.",)
    first = MarkdownChunker().split(extraction)[0]
    assert first.row is None and first.text.strip() == text.strip()


@pytest.mark.parametrize(
    "rows",
    [
        ["Pump A,4.2,first floor", "Pump B,5.1,second floor", "Pump C,6.0,roof"],
        ["5.1,3.5,1.4,0.2,Iris-setosa", "4.9,3.0,1.4,0.2,Iris-setosa", "4.7,3.2,1.3,0.2,Iris-virginica"],
        ["2024-01-01;ok;5", "2024-01-02;ok;6", "2024-01-03;bad;7"],
        ["vhigh,vhigh,2,2,small,unacc", "vhigh,high,2,4,small,unacc", "high,vhigh,4,4,med,acc"],
        ["1,2,3", "4,5,6", "7,8,9"],
        ["Müller\t1.234,50 €\t12 %", "Schön\t99,00 €\t7 %"],
        ["AB-1,Kiel,open", "AB-2,Ulm,closed", "AB-3,Ulm,open", "AB-4,Kiel,open"],
    ],
)
def test_a_file_without_names_loses_no_row_and_says_so(rows: list[str]) -> None:
    extraction = extract("\n".join(rows))
    delimiter = next(one for one in "\t;," if one in rows[0])
    assert names(extraction) == [f"column {place}" for place in range(1, rows[0].count(delimiter) + 2)]
    assert extraction.markdown.count("# row ") == len(rows)
    assert extraction.notes[0].startswith(NO_NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "country,2019,2020,2021\nDE,83.1,83.2,83.2\nFR,67.1,67.3,67.5\n",
        "country,2021\nDE,83\nFR,67\n",
        "State,Lat,1/22/20,1/23/20\nDE,51.1,1,2\nFR,46.2,0,3\n",
        "size,142.5,145,147.5\n9.4,0,1,0\n9.5,2,0,1\n",
        "group,10,20,50\nA,1.5,1.2,0.9\nB,1.6,1.1,0.8\n",
        "Name,Ort,Straße\nAnn,Kiel,Hof\nBob,Ulm,Weg\n",
        "question,answer\nHow many?,5\nWhich year?,2020\n",
        ",name,city\n0,Ann,Kiel\n1,Bob,Ulm\n",
        "name,\nSloop,7\nKetch,8\n",
        "#id,name,size\n1,a,5\n2,b,6\n",
        "id,name\n1,Ann,x,y\n2,Bob,x,z\n3,Cy,x,y\n",
        "name,city,zip\n1,Ann,Kiel,24103\n2,Bob,Ulm,89073\n",
        "date,price,change\n1950:1,28.9,,\n1950:2,29.1,29.8\n1950:3,29.3,29.7\n1950:4,29.3,29.9\n",
        "comment\nGood, but slow\nI like it, really, a lot\nfine\nwell, ok\n",
        "name,size\n\nA,5\nB,6\nC,7\n",
        "name,size\nA,5\nB,6\n\nname,size\nC,7\nD,8\n",
        'name,note\nA,"x\n\n5"\nB,6\nC,7\n',
        "word\nsail\nmast\n",
    ],
)
def test_names_in_the_first_row_are_names(text: str) -> None:
    header = text.partition("\n")[0].split(",")
    markdown = extract(text).markdown
    assert [name for name in header if name and f"- {name}: " not in markdown] == []
    assert not extract(text).notes or "Row 1" in extract(text).notes[0]


@pytest.mark.parametrize("delimiter", [",", ";", "|"])
@pytest.mark.parametrize("header", ['"device"{0} "limit"{0} "note"', "device{0} limit{0} note"])
def test_blanks_between_a_delimiter_and_a_quotation_mark(delimiter: str, header: str) -> None:
    rows = '"Pump A"{0} "4{0}2"{0} "first"\n"Pump B"{0} "5{0}1"{0} "roof"\n'
    text = f"{header}\n{rows}".format(delimiter)
    table = open_table(io.BytesIO(text.encode()))
    assert table.headers == ("device", "limit", "note")
    assert [row.cells[1][1] for row in table.rows] == [f"4{delimiter}2", f"5{delimiter}1"]
    assert f"- limit: 4{delimiter}2" in extract(text).markdown and extract(text).notes == ()


def test_the_rows_of_a_table_that_is_read_piece_by_piece_begin_below_its_first_row() -> None:
    """A knowledge base has its names there (docs/csv.md)."""
    table = open_table(io.BytesIO(b"Pump A,4.2\nPump B,5.1\n"))
    assert table.headers == ("Pump A", "4.2") and len(list(table.rows)) == 1


@given(st.lists(st.lists(st.text(st.sampled_from('ab1 #,;"\n'), max_size=5), min_size=1, max_size=4), max_size=9))
def test_no_value_of_any_table_is_lost(table: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([["x", "y", "z"], *table])
    letters = {letter for row in table for value in row for letter in value if letter.isalnum()}
    assert letters <= set(extract(file.getvalue()).markdown.replace("row ", "").replace("column ", ""))
