"""Nothing that comes from a document or a file name moves a terminal's cursor or changes its colours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.interfaces.cli.excerpt import excerpt
from ragbase.interfaces.cli.screen import flowing, print_table, visible


@given(st.text())
def test_visible_text_is_one_line_of_printable_characters(text: str) -> None:
    assert visible(text).isprintable()


@given(st.text().filter(str.isprintable))
def test_printable_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("two\nlines.md", r"two\nlines.md"),
        ("\x1b[31mred.md", r"\x1b[31mred.md"),
        ("right\u202eto left.md", r"right\u202eto left.md"),
        ("not utf-8 \udcff.md", r"not utf-8 \udcff.md"),
        ("日本 🎉.md", "日本 🎉.md"),
    ],
)
def test_what_is_not_printable_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_passage_flows_over_its_line_ends() -> None:
    assert flowing("one\n\n two\tthree ") == "one two three"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Donau\u00addampf\u200bschiff\u202e\ufeff", "Donaudampfschiff"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष \x1b[31m", "क्\u200dष \\x1b[31m"),
    ],
)
def test_a_passage_shows_no_invisible_letters_but_joiners_within_words(text: str, shown: str) -> None:
    assert flowing(text) == shown


def test_a_row_is_one_line_when_it_is_piped(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("NAME", "COUNT"), [("x" * 300, "7"), ("\x1b[2J\n", "12")], right=("COUNT",))

    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [["NAME", "COUNT"], ["x" * 300, "7"], [r"\x1b[2J\n", "12"]]
    assert len({len(line.rstrip()) for line in lines}) == 1, "the numbers end in one column"


@given(st.text(max_size=2000), st.text(max_size=50), st.integers(min_value=20, max_value=300))
def test_an_excerpt_is_short_and_printable(text: str, query: str, width: int) -> None:
    shown = excerpt(text, query, width=width)

    assert len(shown) <= width
    assert shown.isprintable()


def test_an_excerpt_starts_where_the_question_is_answered() -> None:
    text = "# Care\n\n" + "Wash the plates. " * 40 + "The battery lasts nine days.\nIt weighs two kilograms."

    shown = excerpt(text, "How long does the battery last?", width=60)

    assert shown == "The battery lasts nine days. It weighs two kilograms."


def test_an_excerpt_leaves_out_headings_unless_there_is_nothing_else() -> None:
    assert excerpt("## Battery\n\nNine days.", "battery") == "Nine days."
    assert excerpt("## Battery", "battery") == "## Battery"


def test_short_sentences_are_analysed_in_the_language_of_the_question() -> None:
    text = "Frau Weber: 200 Euro. Mietwagen: 80 Euro."
    shown = excerpt(text, "Was kosten die Mietwagens der Mitarbeiter?", width=25)
    assert shown == "Mietwagen: 80 Euro."
