"""Where a block of a page stands, and what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import page_blocks

PAGE = """# Boats

    row

## Sails

```sh
hoist
```

```text
It is up.
```

1. A list:

       tack

### Reef

    reef

## Oars

    pull
"""


@pytest.fixture
def page(tmp_path: Path) -> str:
    file = tmp_path / "page.md"
    file.write_text(PAGE, encoding="utf-8")
    return str(file)


def test_a_block_has_its_heading_and_its_number_without_those_that_show_something(page: str) -> None:
    assert [(one.heading, one.number, one.language, one.text, one.line) for one in page_blocks.read_all(page)] == [
        ("Boats", 1, "", "row\n", 3),
        ("Sails", 1, "sh", "hoist\n", 7),
        ("Sails", 0, "text", "It is up.\n", 11),
        ("Sails", 2, "", "tack\n", 17),
        ("Reef", 1, "", "reef\n", 21),
        ("Oars", 1, "", "pull\n", 25),
    ]


def test_a_part_has_the_blocks_below_its_headings(page: str) -> None:
    assert page_blocks.block_of(page, "Sails", 2).text == "tack\n"
    assert [one.text for one in page_blocks.blocks_of(page, "Sails")] == ["hoist\n", "tack\n", "reef\n"]
    assert len(page_blocks.blocks_of(page)) == 5
