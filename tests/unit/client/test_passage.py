"""What other libraries get of a passage."""

from __future__ import annotations

from ragbase.client.passage import passage_metadata
from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.api.query import DocumentMetadataBody, SearchResultBody

PLACE = ChunkMetadata(page=3, heading="Costs > Travel", char_start=40, char_end=66, table_header="| item | limit |")
FOUND = SearchResultBody(
    content="| hotel | 140 euro |",
    score=0.75,
    document_id="d1",
    filename="costs.pdf",
    document_metadata=DocumentMetadataBody(title="Costs"),
    metadata=PLACE,
    sources=(),
    lacks=("2027",),
    confidence="fair",
)


def test_rows_come_with_the_header_of_their_table() -> None:
    assert FOUND.shown_text == "| item | limit |\n| hotel | 140 euro |"
    assert FOUND.model_copy(update={"metadata": ChunkMetadata(char_start=0, char_end=9)}).shown_text == FOUND.content


def test_the_id_names_the_place() -> None:
    assert FOUND.place_id == "d1:40-66"


def test_what_is_unknown_is_left_out() -> None:
    assert passage_metadata(FOUND) == {
        "document_id": "d1",
        "filename": "costs.pdf",
        "title": "Costs",
        "page": 3,
        "heading": "Costs > Travel",
        "char_start": 40,
        "char_end": 66,
        "score": 0.75,
        "confidence": "fair",
        "lacks": ["2027"],
    }
