"""scripts/check-text finds what a reader loses and doubles, and counts what a note names."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.left_out import LeftOut
from tests.check_text.__main__ import is_fault
from tests.check_text.check_file import check_file, compared
from tests.check_text.plain_text import decoded, plain_text
from tests.check_text.words import missing, texts, words

XHTML = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>Page</body></html>"
NOTEBOOK = b'{"cells": [{"source": ["a = 1"], "outputs": [{"data": {"text/plain": "1", "image/png": "iVBORw0"}}]}]}'


def lost(wanted: str, there: str) -> list[str]:
    return missing(words(wanted), Counter(texts(words(there))))


@pytest.mark.parametrize(
    ("wanted", "there", "lacks"),
    [
        ("The pump is off.", "the PUMP is off", []),
        ("The pump is off.", "The pump is", ["off"]),
        ("off and off", "off and", ["off"]),
        ("main-\ntenance", "maintenance", []),
        ("main\u00adtenance", "maintenance", []),
        ("re-use", "reuse", []),
        ("maintenance", "main tenance", []),
        ("우리 회사", "우리회사", ["우리", "회사"]),
        ("the pump", "thepump", ["the", "pump"]),
        ("机器停了", "机器停", ["了"]),
        ("ﬁlter", "filter", []),
    ],
)
def test_words_are_missed_where_they_are_missing(wanted: str, there: str, lacks: list[str]) -> None:
    assert lost(wanted, there) == lacks


def test_what_a_note_names_is_not_lost() -> None:
    said = Extraction("The pump is off.", left_out=(LeftOut("a watermark", "DRAFT"),))
    found = compared(Path("a.txt"), "txt", said, "The pump is off. DRAFT COPY", "")
    assert (found.lost, found.noted) == (("copy",), 1)


def test_a_word_that_stands_twice_is_doubled() -> None:
    found = compared(Path("a.txt"), "txt", Extraction("Pump pump valve valve"), "Pump valve valve", "")
    assert (found.lost, found.doubled) == ((), ("pump",))
    assert is_fault(found)


def test_names_of_columns_may_stand_with_each_row(tmp_path: Path) -> None:
    file = tmp_path / "pumps.csv"
    file.write_text("pump,pressure\n" + "".join(f"P{n},{n} bar\n" for n in range(20)))
    found = check_file(file)
    assert (found.format, found.lost, found.doubled) == ("csv", (), ())


def test_a_file_that_is_refused_says_why(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"pump":')
    assert check_file(file).refused.startswith("CORRUPT_FILE: ")


@pytest.mark.parametrize(
    ("format", "data", "seen"),
    [
        ("html", b"<p hidden>Secret <b>bo</b>ld</p><script>code</script><svg/><p>End", ["secret", "bold", "end"]),
        ("html", XHTML, ["page"]),
        ("json", b'{"pump": ["on", 3]}', ["on", "3"]),
        ("ipynb", NOTEBOOK, ["a", "1", "1"]),
        ("txt", b"Pr\xc3\xbcfung pr\xfcfen", ["prüfung", "prüfen"]),
    ],
)
def test_plain_readers_find_what_a_person_sees(format: str, data: bytes, seen: list[str]) -> None:
    plain = plain_text(data, format)
    assert plain is not None
    assert texts(words(plain.text)) == seen


def test_bytes_that_are_not_utf8_are_western() -> None:
    assert decoded(b"\xef\xbb\xbfna\xefve \xe2\x82\xac") == "naïve €"
