"""The body of /internal/callback (docs/contracts/documents.md, section 2): what an extractor elsewhere has done."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, StrictBool, StrictStr

from ragbase.domain.errors import ErrorCode
from ragbase.messages.json_model import RequestModel, Whole

Code = Literal[
    ErrorCode.PASSWORD_PROTECTED,
    ErrorCode.CORRUPT_FILE,
    ErrorCode.UNSUPPORTED_FORMAT,
    ErrorCode.OCR_FAILED,
    ErrorCode.TIMEOUT,
    ErrorCode.INTERNAL_ERROR,
]


class ProcessingResult(RequestModel):
    """`processingTimeMs` is in milliseconds."""

    markdown: StrictStr
    page_count: Annotated[int, Field(strict=True, gt=0), Whole]
    ocr_applied: StrictBool
    processing_time_ms: Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]


class ProcessingError(RequestModel):
    code: Code
    message: StrictStr


class ProcessingCallback(RequestModel):
    """`generation`, which the contract does not have, names the version of the file that was read, as the lane's job
    does. Without it, the callback is about the version that the record has now."""

    document_id: UUID = Field(description="the document's id, a UUID")
    success: StrictBool = Field(description="true or false")
    generation: Annotated[str, Field(strict=True, pattern=r"^[0-9]{1,19}$")] | None = Field(
        None, description="the generation of the file that was read, as decimal text, or leave it out"
    )
    result: ProcessingResult | None = Field(
        None, description="an object with markdown, pageCount, ocrApplied and processingTimeMs, or leave it out"
    )
    error: ProcessingError | None = Field(None, description="an object with code and message, or leave it out")
