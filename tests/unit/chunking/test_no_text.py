"""Definitions of links, closing tags and rules alone are no passage."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction

PARAGRAPH = "The wind fills the sail and the boat begins to move. " * 3


def texts(text: str, size: int = 200) -> list[str]:
    return [passage.text for passage in MarkdownChunker(size, size // 5).split(Extraction(text))]


@pytest.mark.parametrize(
    "rest",
    [
        "\n".join(f"[boats {number}]: ../boats/number-{number}.md" for number in range(20)),
        "\n".join(f"  [`boats {number}`]: <../all boats/{number}.md> 'Boats'" for number in range(20)),
        "\r\n\r\n".join(f'[{number}]:\r\n  https://boats.example/{number}\r\n  "All boats"' for number in range(20)),
        "</Sandpack>\n\n</DeepDive>\n" + "<br/>\n\n</div></div>\n</>\n" * 20,
        "* * *\n\n---\n\n" * 40,
        "> [boats]: #boats\n>\n> ---\n" * 20,
    ],
    ids=range(6),
)
def test_what_is_no_text_is_no_passage(rest: str) -> None:
    alone = texts(PARAGRAPH)
    kept = texts(f"{PARAGRAPH}\n\n{rest}")
    assert len(kept) == len(alone)
    assert texts(f"{PARAGRAPH}\n\n{rest}\n\nThe last word.")[-1].endswith("The last word.")


@pytest.mark.parametrize(
    "line",
    [
        "[^1]: A footnote is text.",
        "[Danger]: never open it.",
        "[注意]: 请勿打开。",
        '<Card title="Install it on Linux" />',
        "*[HTML]: Hyper Text Markup Language",
        "- - a",
        "# -",
        "</Note> and more",
        "`--`, the option",
    ],
)
def test_text_is_a_passage(line: str) -> None:
    assert line in texts(f"{PARAGRAPH}\n\n# Rest\n\n{line}")[-1]


def test_a_document_that_has_nothing_else_keeps_its_passages() -> None:
    assert texts("[boats]: ../boats.md\n") == ["[boats]: ../boats.md"]
