"""The job on a lane survives the wire, and a message that is no job says why."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.chunk_size import ChunkSize, ChunkUnit
from ragbase.domain.errors import MalformedMessage
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.messages.job_message import decode_job, encode_job
from tests.functions.recorded import recorded
from tests.page_blocks import block_of

text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)
int64 = st.integers(min_value=0, max_value=2**63 - 1)
jobs = st.builds(
    Job,
    document_id=st.uuids().map(str),
    bucket=text,
    name=text,
    generation=st.integers(min_value=-(2**52), max_value=2**63 - 1),  # below zero: of a given text
    part=int64,
    format=st.none() | text,
    config=st.builds(
        ProcessingConfig,
        ocr_mode=st.sampled_from(OcrMode),
        ocr_languages=st.lists(text, max_size=3).map(tuple),
        min_text_length=int64,
        chunk_size=st.none()
        | st.builds(ChunkSize, st.integers(100, 10_000), st.integers(0, 50), st.sampled_from(ChunkUnit)),
    ),
)


@given(job=jobs)
def test_a_job_comes_back_as_it_was(job: Job) -> None:
    assert decode_job(encode_job(job)) == job


def test_the_message_has_the_names_of_the_contract() -> None:
    payload = base64.b64decode(recorded("fast_lane_job").body["message"]["data"])
    job = decode_job(payload)
    assert job == Job(
        document_id=document_id("uploads", "guides/backup.md"),
        bucket="uploads",
        name="guides/backup.md",
        generation=job.generation,
        format="md",
    )
    assert json.loads(encode_job(job)) == json.loads(payload)


def test_the_contracts_own_payload_is_enough_with_the_generation() -> None:
    """An extractor elsewhere may send no more than the contract's `ProcessingJob` and what names the bytes."""
    message = {
        "documentId": document_id("b", "a.pdf"),
        "bucket": "b",
        "filePath": "a.pdf",
        "generation": 7,
        "format": "pdf",
        "config": {"ocrMode": "force", "ocrLanguages": ["en"]},
    }
    job = decode_job(json.dumps(message).encode())
    assert (job.generation, job.part, job.config.ocr_mode) == (7, 0, OcrMode.FORCE)
    assert job.config.min_text_length == ProcessingConfig().min_text_length


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("documentId", "17"),
        ("documentId", None),
        ("bucket", ""),
        ("filePath", 3),
        ("generation", -(2**63)),
        ("generation", 2**63),
        ("generation", "soon"),
        ("part", -1),
        ("format", ""),
        ("format", 1),
        ("config", None),
        ("config", {"ocrMode": "maybe", "ocrLanguages": []}),
    ],
)
def test_a_field_that_is_wrong_is_named(field: str, value: object) -> None:
    message = json.loads(base64.b64decode(recorded("fast_lane_job").body["message"]["data"])) | {field: value}
    with pytest.raises(MalformedMessage, match=field):
        decode_job(json.dumps(message).encode())


@given(data=st.binary(max_size=200))
def test_bytes_that_are_no_job_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedMessage, match="no lane job"):
        decode_job(data)


def test_the_job_of_the_contract_is_one() -> None:
    shown = block_of("docs/contracts/documents.md", "2. Messages").text
    job = decode_job(shown.replace("0b6c…", document_id("uploads", "guides/backup.md")).encode())
    assert json.loads(encode_job(job)) == json.loads(shown) | {"documentId": job.document_id}
