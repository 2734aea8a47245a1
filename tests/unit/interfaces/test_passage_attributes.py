"""What programs without citations of ours get of a passage."""

from __future__ import annotations

from ragbase.interfaces.wire.passage_attributes import passage_attributes
from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.api.query import DocumentMetadataBody, SearchResultBody


def found(heading: str | None, said: DocumentMetadataBody | None = None) -> SearchResultBody:
    return SearchResultBody(
        content="text",
        score=1,
        document_id="1b4e",
        filename="a.md",
        document_metadata=said,
        metadata=ChunkMetadata(heading=heading, char_start=3, char_end=9),
        sources=(),
    )


def test_a_text_has_at_most_what_the_schema_of_openai_allows() -> None:
    attributes = passage_attributes(found("ä" * 600, DocumentMetadataBody(tags=("a" * 300, "b" * 300))))
    assert attributes["heading"] == "ä" * 512
    assert attributes["tags"] == f"{'a' * 300}, {'b' * 210}"


def test_what_is_not_known_is_left_out() -> None:
    assert passage_attributes(found(None)) == {"char_start": 3, "char_end": 9}
