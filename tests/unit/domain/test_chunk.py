"""The number of a row is not searched; its name and its fields are."""

from __future__ import annotations

import pytest

from ragbase.domain.chunk import Passage, embedding_text


@pytest.mark.parametrize(
    ("path", "text", "searched"),
    [
        (("row 1980",), "# row 1980\n\n- year: 2005\n", "# \n\n- year: 2005\n"),
        (("row 12: Sloop",), "# row 12: Sloop\n\n- name: Sloop", "Sloop\n# Sloop\n\n- name: Sloop"),
        (("Budget", "row 3"), "## row 3\n\n- cost: 7", "Budget\n## \n\n- cost: 7"),
        (("item 4",), "# item 4\n\n- day: 2", "# \n\n- day: 2"),
        (("Row 12",), "# Row 12\n\nWe sit here.", "Row 12\n# Row 12\n\nWe sit here."),
        ((), "row 12 of the table", "row 12 of the table"),
    ],
)
def test_what_is_searched_of_a_row(path: tuple[str, ...], text: str, searched: str) -> None:
    assert embedding_text(Passage(text, 0, len(text), path)) == searched
