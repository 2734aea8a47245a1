"""A record in which nothing has happened yet."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from ragbase.domain.document import Document, Status
from ragbase.domain.identity import document_id
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def plain_document(name: str, /, **changes: object) -> Document:
    """The record of a Markdown file that has just come, with these fields changed."""
    plain = Document(
        id=document_id("bucket", name),
        bucket="bucket",
        name=name,
        generation=1,
        status=Status.PENDING,
        size=4,
        md5="md5",
        content_type="text/markdown",
        format="md",
        lane=Lane.FAST,
        source=name,
        config=ProcessingConfig(),
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # each test names fields of Document
