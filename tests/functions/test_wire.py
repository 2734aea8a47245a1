"""The bodies of the HTTP API have the names and the optional fields of the document contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from inspect import get_annotations
from pkgutil import iter_modules
from typing import Any

import pytest
from pydantic import ValidationError

from ragbase.domain import answer, context, evidence, metadata, near_miss, word_boxes
from ragbase.domain import chunk as domain_chunk
from ragbase.domain.chunk import Chunk
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.metadata import DocumentMetadata
from ragbase.domain.work import Failure
from ragbase.evaluation import evaluation_runs, golden_questions
from ragbase.interfaces.wire.documents import document_status, document_summary
from ragbase.interfaces.wire.listing import Listing
from ragbase.interfaces.wire.query import QueryRequest, query_response
from ragbase.messages import api
from ragbase.messages.foreign_model import ForeignModel
from ragbase.messages.json_model import JsonModel
from ragbase.retrieval import search_result
from ragbase.retrieval.explain import explanation
from ragbase.retrieval.scoring import Facts, ScoreBreakdown
from ragbase.retrieval.search_result import ResultSource, SearchResult
from tests.plain_document import plain_document

CREATED = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
PENDING = plain_document(
    "guides/backup.md",
    id="6a6e8b8c-7b1e-5d0c-9c55-3d3c6f0c2b11",
    size=94,
    created_at=CREATED,
    updated_at=CREATED + timedelta(seconds=1),
)
COMPLETED = replace(
    PENDING,
    status=Status.COMPLETED,
    attempts=1,
    active=IndexedGeneration(generation=1, chunk_count=3, md5="4a", fingerprint="f", text_length=90),
)


def body(wire: JsonModel) -> Any:
    return json.loads(wire.to_json())


def chunk(
    *, page: int | None = None, row: int | None = None, header_path: tuple[str, ...] = (), table_header: str = ""
) -> Chunk:
    return Chunk(
        id="c",
        document_id=PENDING.id,
        generation=1,
        ordinal=0,
        text="The backup starts at 02:30.",
        char_start=11,
        char_end=38,
        header_path=header_path,
        page=page,
        row=row,
        text_hash="h",
        table_header=table_header,
    )


def result(*places: tuple[Document, Chunk]) -> SearchResult:
    sources = tuple(ResultSource(*place) for place in places)
    return SearchResult(
        chunk=sources[0].chunk,
        document=sources[0].document,
        score=0.75,
        confidence=0.5,
        breakdown=ScoreBreakdown(dense_score=0.5, sparse_score=0.5, combined_score=0.5),
        rank=1,
        sources=sources,
    )


CONTRACT = {"content", "document_id", "filename", "document_metadata", "metadata", "chunk_index"}
"""What the contract calls a chunk's text, place and ordinal, and the id, source and metadata of its document."""
VALUES = (
    answer,
    context,
    domain_chunk,
    evaluation_runs,
    evidence,
    explanation,
    golden_questions,
    metadata,
    near_miss,
    search_result,
    word_boxes,
)


def test_a_value_and_its_fields_have_one_name_here_and_in_json() -> None:
    values = {name: value for module in VALUES for name, value in vars(module).items() if isinstance(value, type)}
    checked = {}
    for name, model in _bodies():
        value = values[name.removesuffix("Body")]
        parts = (value, Facts, ScoreBreakdown) if value is explanation.PassageFigures else (value,)
        own = {name for part in parts for name in (*get_annotations(part), *dir(part))}
        checked[name] = set(model.model_fields) - own - CONTRACT
    assert checked["SearchResultBody"] == set()
    assert not any(checked.values()), checked


def _bodies() -> Iterator[tuple[str, type[JsonModel]]]:
    for module in iter_modules(api.__path__, f"{api.__name__}."):
        models = vars(import_module(module.name)).items()
        ours = [(name, model) for name, model in models if name.endswith("Body") and name != "ErrorBody"]
        yield from ((name, model) for name, model in ours if not issubclass(model, ForeignModel))


def test_a_pending_document_has_neither_chunks_nor_a_reason() -> None:
    assert body(document_status(PENDING)) == {
        "id": PENDING.id,
        "filename": "guides/backup.md",
        "status": "PENDING",
        "retryCount": 0,
        "lane": "fast",
        "size": 94,
        "createdAt": "2026-03-01T12:30:00Z",
        "updatedAt": "2026-03-01T12:30:01Z",
    }


def test_a_completed_document_reports_its_chunks() -> None:
    assert body(document_status(COMPLETED))["chunkCount"] == 3
    assert body(document_summary(COMPLETED)) == {
        "id": PENDING.id,
        "filename": "guides/backup.md",
        "status": "COMPLETED",
        "lane": "fast",
        "size": 94,
        "chunkCount": 3,
        "createdAt": "2026-03-01T12:30:00Z",
    }


def test_a_document_whose_new_generation_is_not_done_does_not_count_the_old_ones_chunks() -> None:
    assert "chunkCount" not in body(document_status(replace(COMPLETED, status=Status.PROCESSING, generation=2)))


def test_a_failed_document_reports_the_code_and_the_reason() -> None:
    failed = replace(
        PENDING, status=Status.FAILED, attempts=4, failure=Failure(ErrorCode.CORRUPT_FILE, "a.md: cannot be read.")
    )
    answer = body(document_status(failed))
    assert (answer["failReason"], answer["retryCount"]) == ("CORRUPT_FILE: a.md: cannot be read.", 3)


def test_a_completed_document_reports_what_was_doubtful_in_it() -> None:
    doubtful = replace(COMPLETED.active, notes=("1 NUL character, shown as U+FFFD.",)) if COMPLETED.active else None
    record = replace(COMPLETED, name="guides/backup.txt", active=doubtful)
    assert body(document_status(record))["notes"] == [
        "Its name or type says txt, its content says md: read as md.",
        "1 NUL character, shown as U+FFFD.",
    ]
    assert "notes" not in body(document_status(replace(record, status=Status.PENDING)))


def test_a_result_shows_what_the_document_says_of_itself() -> None:
    said = DocumentMetadata(title="Backups", tags=("night", "disk"), date="2026-03-01", url="https://example.org/b")
    assert COMPLETED.active is not None
    about = replace(COMPLETED, active=replace(COMPLETED.active, metadata=said))
    (found,) = body(query_response([result((about, chunk()), (COMPLETED, chunk()))]))["results"]
    expected = {"title": "Backups", "tags": ["night", "disk"], "date": "2026-03-01", "url": "https://example.org/b"}
    assert found["documentMetadata"] == found["sources"][0]["documentMetadata"] == expected
    assert "documentMetadata" not in found["sources"][1]


def test_a_listing_has_its_part_and_the_total() -> None:
    listed = body(Listing((COMPLETED, PENDING), total=7, next_cursor=None).response())
    assert listed["total"] == 7
    assert [document["status"] for document in listed["documents"]] == ["COMPLETED", "PENDING"]


def test_a_result_cites_every_place_of_its_text() -> None:
    duplicate = replace(COMPLETED, id="twin", source="copy.pdf")
    found = result((COMPLETED, chunk(header_path=("Backups", "Nightly"))), (duplicate, chunk(page=2)))
    here = {"heading": "Backups > Nightly", "charStart": 11, "charEnd": 38}
    there = {"page": 2, "charStart": 11, "charEnd": 38}
    assert body(query_response([found])) == {
        "results": [
            {
                "content": "The backup starts at 02:30.",
                "score": 0.75,
                "documentId": COMPLETED.id,
                "filename": "guides/backup.md",
                "metadata": here,
                "sources": [
                    {"documentId": COMPLETED.id, "filename": "guides/backup.md", "metadata": here},
                    {"documentId": "twin", "filename": "copy.pdf", "metadata": there},
                ],
                "confidence": "fair",
            }
        ]
    }


def test_a_row_of_a_file_is_cited() -> None:
    answer = body(query_response([result((COMPLETED, chunk(row=7)))]))
    assert answer["results"][0]["metadata"] == {"row": 7, "charStart": 11, "charEnd": 38}


def test_rows_of_a_table_are_cited_with_its_header_row() -> None:
    answer = body(query_response([result((COMPLETED, chunk(table_header="| job | start |")))]))
    assert answer["results"][0]["metadata"] == {"charStart": 11, "charEnd": 38, "tableHeader": "| job | start |"}


def test_nothing_found_is_an_empty_list() -> None:
    assert body(query_response([])) == {"results": []}


def test_a_query_is_trimmed_before_it_is_counted() -> None:
    request = QueryRequest.model_validate_json(json.dumps({"query": f" \n{'q' * 1000}\t", "topK": 100}))
    assert (request.query, request.top_k) == ("q" * 1000, 100)


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"query": None},
        {"query": 5},
        {"query": " \n"},
        {"query": "q" * 1001},
        {"query": "q", "topK": 0},
        {"query": "q", "topK": 101},
        {"query": "q", "topK": "5"},
        {"query": "q", "topK": 1.5},
        {"query": "q", "topK": True},
    ],
)
def test_a_query_outside_the_contract_is_refused(request_body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        QueryRequest.model_validate_json(json.dumps(request_body))
