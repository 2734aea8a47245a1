"""The message that carries a job to a lane (docs/contracts/documents.md, section 2): JSON in UTF-8.

    {"documentId": "…", "bucket": "…", "filePath": "…", "generation": "1763712000000000", "part": 0, "format": "md",
     "config": {"ocrMode": "auto", "ocrLanguages": ["en", "vi"], "minTextLength": 50}}

Its attributes may name the trace that the job belongs to (TRACE_ATTRIBUTE).

A generation is decimal text, as in Cloud Storage's own messages: it may be too large for a number in JavaScript.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import BeforeValidator, Field, PlainSerializer

from ragbase.domain.chunk_size import ChunkSize
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.messages.json_model import INT64_MAX, JsonModel, read_json

TRACE_ATTRIBUTE = "googclient_traceparent"
"""The attribute of a message with its trace, as Google's own clients of Pub/Sub name it
(https://cloud.google.com/pubsub/docs/open-telemetry-tracing)."""


def _chunk_size(value: object) -> object:
    return ChunkSize.read(value) if isinstance(value, str) else value


class _Config(JsonModel):
    ocr_mode: OcrMode
    ocr_languages: tuple[str, ...]
    min_text_length: Annotated[int, Field(ge=0, le=INT64_MAX)] = ProcessingConfig().min_text_length
    chunk_size: Annotated[ChunkSize, BeforeValidator(_chunk_size), PlainSerializer(str)] | None = None


class _JobMessage(JsonModel):
    document_id: UUID
    bucket: Annotated[str, Field(min_length=1)]
    file_path: Annotated[str, Field(min_length=1)]
    generation: Annotated[int, Field(ge=-INT64_MAX, le=INT64_MAX), PlainSerializer(str)]
    part: Annotated[int, Field(ge=0, le=INT64_MAX)] = 0
    format: Annotated[str, Field(min_length=1)] | None = None
    config: _Config


def encode_job(job: Job) -> bytes:
    """The message that `decode_job` reads."""
    message = _JobMessage(
        document_id=UUID(job.document_id),
        bucket=job.bucket,
        file_path=job.name,
        generation=job.generation,
        part=job.part,
        format=job.format,
        config=_Config(
            ocr_mode=job.config.ocr_mode,
            ocr_languages=job.config.ocr_languages,
            min_text_length=job.config.min_text_length,
            chunk_size=job.config.chunk_size,
        ),
    )
    return message.to_json()


def decode_job(data: bytes) -> Job:
    """Raises MalformedMessage, which names the fields that are missing or wrong."""
    message = read_json(_JobMessage, data, "lane job")
    return Job(
        document_id=str(message.document_id),
        bucket=message.bucket,
        name=message.file_path,
        generation=message.generation,
        part=message.part,
        format=message.format,
        config=ProcessingConfig(
            ocr_mode=message.config.ocr_mode,
            ocr_languages=message.config.ocr_languages,
            min_text_length=message.config.min_text_length,
            chunk_size=message.config.chunk_size,
        ),
    )
