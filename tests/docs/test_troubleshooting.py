"""docs/troubleshooting.md names every code, and quotes what the code says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ragbase.domain.errors import ErrorCode
from scripts.site.messages_page import messages, messages_page, said

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
CODE = re.compile(r"\d{3} .*|[A-Z_]+")
"""The first cell of a row that is about a code, not about a message."""


def seen() -> Iterator[str]:
    """The messages in the first cells of the page's tables."""
    cells = [line.split(" | ")[0] for line in PAGE.splitlines() if line.startswith("| `")]
    return (text for cell in cells for text in re.findall(r"`([^`]+)`", cell) if not CODE.fullmatch(text))


def test_every_code_of_a_document_has_its_row() -> None:
    for code in ErrorCode:
        assert re.search(rf"^\| `{code}` \|", PAGE, re.MULTILINE), code


def test_every_code_of_an_answer_has_its_row() -> None:
    codes = {name for name in messages() if name.isupper()} - set(ErrorCode)
    assert len(codes) > 5
    for code in codes:
        assert re.search(rf"^\| \d{{3}} .*`{code}`.* \|", PAGE, re.MULTILINE), code


SEEN = tuple(seen())


def test_messages_are_quoted() -> None:
    assert len(SEEN) > 25


def test_a_quoted_message_is_one_of_the_code() -> None:
    texts = "\n".join(" ".join(text.split()) for text in said().texts)
    lost = [text for text in SEEN if not re.search(".*".join(map(re.escape, re.split(" ?… ?", text))), texts)]
    assert lost == []


def test_the_reference_has_a_message_of_each_code() -> None:
    page = messages_page()
    for code in ErrorCode:
        assert f"## {code}\n" in page
    assert "Remove the password and upload it again." in page
