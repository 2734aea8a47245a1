"""Which names are those of versions of one document."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbase.domain.document import Document
from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.version import version_of
from ragbase.testing.passages import document


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("docs/27.x/api.md", "docs/26.x/api.md"),
        ("v2/api.md", "v1/api.md"),
        ("docs/v1.10/api.md", "docs/v1.9/api.md"),
        ("docs/10.0/api.md", "docs/9.4/api.md"),
        ("release-1.2.3/api.md", "release-1.2/api.md"),
        ("handbook/2024/leave.md", "handbook/2023/leave.md"),
        ("handbook/2024.md", "handbook/2023.md"),
        ("guide-v2.docx", "guide-v1.docx"),
        ("docs/api.md", "versioned_docs/version-26.x/api.md"),
        ("latest/api.html", "3.2/api.html"),
        ("stable/api.html", "dev/api.html"),
        ("3.2/api.html", "next/api.html"),
        ("docs/api.md", "docs/legacy/api.md"),
    ],
)
def test_a_later_version_of_a_document_leads(later: str, earlier: str) -> None:
    (family, version), (other, former) = version_of(document(later, 1)), version_of(document(earlier, 1))
    assert family == other
    assert version > former


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("minutes/2024-03.md", "minutes/2024-04.md"),
        ("minutes/2024-03-11.md", "minutes/2024-03-18.md"),
        ("book/1/index.md", "book/2/index.md"),
        ("controls/PS-1.md", "controls/PS-2.md"),
        ("news-2027.md", "news-2028.md"),
        ("hosts/10.0.0.1/log.md", "hosts/10.0.0.2/log.md"),
        ("docs/26.x/api.md", "docs/27.x/cli.md"),
        ("docs/26.x/api.md", "docs/27.x/api.rst"),
        ("", "a"),
    ],
)
def test_these_are_two_documents(one: str, other: str) -> None:
    assert version_of(document(one, 1))[0] != version_of(document(other, 1))[0]


def test_front_matter_names_the_version() -> None:
    assert version_of(_said("manual.md", "2.1"))[1] > version_of(_said("manual.md", "2.0"))[1]


@pytest.mark.parametrize(
    ("name", "question", "is_named"),
    [
        ("docs/26.x/api.md", "What is the default in version 26?", True),
        ("docs/26.x/api.md", "What is the default in 26.4", True),
        ("docs/26.x/api.md", "What is the default in 26.x?", True),
        ("docs/26.x/api.md", "What is the default in version 25?", False),
        ("docs/v2/api.md", "what came with v2?", True),
        ("h/2023/leave.md", "How many days in 2023, at most?", True),
        ("stable/api.md", "in the stable one", True),
        ("docs/api.md", "in version 26", False),
    ],
)
def test_a_question_names_a_version(name: str, question: str, is_named: bool) -> None:
    assert version_of(document(name, 1))[1].is_named_in(question) is is_named


def _said(name: str, version: str) -> Document:
    record = document(name, 1)
    assert record.active is not None
    metadata = DocumentMetadata.of(front_matter=[("version", version)])
    return replace(record, active=replace(record.active, metadata=metadata))
