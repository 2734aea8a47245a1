"""The names that a document stands under."""

from __future__ import annotations

import pytest

from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.names import names_of


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("weather/KSEA.csv", ["KSEA", "weather"]),
        ("docs/26.x/api.md", ["api", "26.x", "docs"]),
        ("guide/index.html", ["guide"]),
        ("guide/README.md", ["guide"]),
        ("archive/ann/projects/2027/quarry/docs/guide/keys.md", ["keys", "guide", "docs", "quarry", "2027"]),
        ("keys/keys.md", ["keys"]),
        ("archive.tar.gz", ["archive.tar"]),
    ],
)
def test_a_file_has_its_own_name_and_those_of_its_folders(name: str, names: list[str]) -> None:
    assert names_of(name, DocumentMetadata()).splitlines() == names


def test_what_the_author_says_of_the_document_is_a_name() -> None:
    metadata = DocumentMetadata.of(
        title="Key rotation",
        tags=["security"],
        url="https://docs.quarry.example/keys",
        front_matter=[("version", "26"), ("summary", "Long. " * 20), ("source", "https://example.org/a")],
    )
    assert names_of("a/keys.md", metadata).splitlines() == [
        "Key rotation",
        "keys",
        "security",
        "26",
        "a",
        "docs quarry example",
    ]
