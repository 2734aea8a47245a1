"""The large first letter of a paragraph belongs to its first word."""

from __future__ import annotations

import pytest

from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

LINES = [
    "he ferry crosses the wide river twice a day while the wind blows from the old",
    "harbour towards the hills and the bell of the tower rings in the evening and",
    "nobody goes to the other side of it, where the pier has been since the last",
    "winter, when the harbour was new and the hills were still full of old trees.",
]


def text(x: float, y: float, words: str, size: float = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({words}) Tj ET\n"


def markdown(content: str) -> str:
    return FormatExtractor().extract(pdf_of_contents(content.encode("latin-1")), "pdf", ProcessingConfig()).markdown


@pytest.mark.parametrize(("size", "beside"), [(30, 2), (46, 3)])
@pytest.mark.parametrize("last", [False, True], ids=["drawn first", "drawn last"])
def test_a_drop_cap_is_the_first_letter_of_its_word(size: float, beside: int, last: bool) -> None:
    cap = text(72, 700 - 12 * (beside - 1), "T", size)
    lines = "".join(
        text(72 + (0.611 * size + 2 if index < beside else 0), 700 - 12 * index, line)
        for index, line in enumerate(LINES)
    )
    assert markdown(lines + cap if last else cap + lines) == f"T{' '.join(LINES)}"


def test_a_drop_cap_that_is_a_word_has_a_space_behind_it() -> None:
    lines = [LINES[0][3:], *LINES[1:]]
    content = text(72, 688, "A", 30) + "".join(
        text(72 + (22, 19, 0, 0)[index], 700 - 12 * index, line) for index, line in enumerate(lines)
    )
    assert markdown(content) == f"A {' '.join(lines)}"


def test_a_large_letter_above_text_is_no_drop_cap() -> None:
    content = text(72, 730, "B", 30) + "".join(text(72, 700 - 12 * index, line) for index, line in enumerate(LINES))
    assert markdown(content).split() == ["B", *" ".join(LINES).split()]
