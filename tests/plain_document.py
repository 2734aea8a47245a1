"""A record in which nothing has happened yet."""

from __future__ import annotations

from dataclasses import replace

from ragbase.domain.document import Document, Status
from ragbase.testing.passages import document


def plain_document(name: str, /, **changes: object) -> Document:
    """The record of a Markdown file that has just come, with these fields changed."""
    come: dict[str, object] = {"status": Status.PENDING, "size": 4, "md5": "md5", "active": None}
    return replace(document(name), **come | changes)  # type: ignore[arg-type]  # each test names fields of Document
