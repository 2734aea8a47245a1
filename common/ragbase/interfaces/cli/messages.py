"""What `--json` prints if docs/contracts/documents.md has no shape for it. docs/cli.md shows each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator

from ragbase.domain.calibration import CalibrationOrigin
from ragbase.domain.cause import Cause
from ragbase.messages.api.answer import AnswerResponse
from ragbase.messages.api.keys import KeySummary, UsedLimit
from ragbase.messages.api.sources import LeftOutFiles
from ragbase.messages.json_model import JsonModel


def _printable(given: object) -> object:
    return given.encode("utf-8", "backslashreplace").decode() if isinstance(given, str) else given


Given = Annotated[str, BeforeValidator(_printable)]
"""A path as it was given. Bytes that are not UTF-8 become escapes: JSON cannot hold them."""


class FailedFile(JsonModel):
    """A path that did not become a document, and why: the file, the rule and the remedy."""

    filename: Given
    error: Given


class ReadAgain(JsonModel):
    """So many documents were read again though their bytes are the same, because these things have changed."""

    documents: int
    because: tuple[Cause, ...]


class IngestSummary(JsonModel):
    """`documents` are in the index now, with `chunks` chunks. `unchanged` of them needed no work. `leftOut` are files
    that are there and were not taken. If documents were read again though their bytes are the same, `read_again` says
    why, and `embedded_texts` how many texts of all documents were embedded; both are left out otherwise."""

    documents: int
    chunks: int
    unchanged: int
    read_again: tuple[ReadAgain, ...] | None = None
    embedded_texts: int | None = None
    failed: tuple[FailedFile, ...]
    left_out: tuple[LeftOutFiles, ...] | None


class SyncSummary(JsonModel):
    """What a sync did, or in a dry run would do, in documents. `vanished` ones are gone from the source and were kept,
    `leftOut` are files that are there and were not taken."""

    added: int
    changed: int
    deleted: int
    unchanged: int
    vanished: int
    failed: tuple[FailedFile, ...]
    left_out: tuple[LeftOutFiles, ...] | None


class ChatLine(JsonModel):
    """A line of `ragbase chat`."""

    query: Given


class ChatAnswer(AnswerResponse, ChatLine):
    """The answer to it, as the HTTP API gives it. Its JSON begins with the question."""


class ChatFailure(ChatLine):
    """Why it has no answer."""

    error: Given


class DocumentText(JsonModel):
    """The extracted text of what search shows of a document: `charStart` and `charEnd` of a result count in it."""

    document_id: str
    filename: Given
    text: str


class BackfillSummary(JsonModel):
    """`routed` objects were routed like an upload (or would be, in a dry run); `known` ones were routed before.
    `documents` of the routed ones are in the index now, with `chunks` chunks. Both are 0 if functions do the work."""

    routed: int
    known: int
    documents: int
    chunks: int
    failed: tuple[FailedFile, ...]
    left_out: tuple[LeftOutFiles, ...] | None = None


class CalibrationSummary(JsonModel):
    """What was fitted for the current index, when, and from how many passages. The model's mean cosine of a question
    and a passage on something else is `background`, that of a question and its answer `answers`. With labels, evidence
    is multiplied by `stretch`, and `shift` is added; `questions` and `foreign` ones were asked. If an order was fitted,
    weights of the rank score are multiplied by the factors; on the `order_questions`, the mean nDCG is `order_fitted`
    and was `order_usual`. What there is none of is left out."""

    index: str
    model: str
    origin: CalibrationOrigin
    fitted_at: datetime | None = None
    passages: int | None = None
    background: float | None = None
    answers: float | None = None
    questions: int | None = None
    foreign: int | None = None
    stretch: float | None = None
    shift: float | None = None
    cosine_factor: float | None = None
    coverage_factor: float | None = None
    order_questions: int | None = None
    order_usual: float | None = None
    order_fitted: float | None = None


class ReindexSummary(JsonModel):
    """`index` is the current index and `model` its model; None if nothing was ever indexed. `made` says that it is new:
    it has `documents` and `chunks`, and cost `embedded_texts` texts and `billed_tokens` tokens. `refused` documents
    cannot be made with the current settings. `dropped` names the indexes that were removed."""

    made: bool
    index: str | None
    model: str | None
    documents: int
    chunks: int
    embedded_texts: int
    billed_tokens: int
    refused: int
    dropped: tuple[str, ...]


class ReindexEstimate(JsonModel):
    """What a reindex would do; None and zeros if there is nothing to do. `tokens` is an estimate from the `characters`
    of the `texts` to embed. `kept` texts have embeddings already. The lanes are working on `waiting` documents."""

    index: str | None
    documents: int
    chunks: int
    texts: int
    kept: int
    characters: int
    tokens: int
    refused: int
    waiting: int


class DeleteSummary(JsonModel):
    """The identifiers as they were given."""

    deleted: tuple[Given, ...]
    not_found: tuple[Given, ...]


class HashedPassword(JsonModel):
    """`passwordHash` is the value of the setting `password_hash`."""

    password_hash: str


class KeyList(JsonModel):
    """`tenants` are those of the keys, with what the setting `tenant_limits` lets each of them use. They are left out
    without it."""

    keys: tuple[KeySummary, ...]
    tenants: dict[str, dict[str, UsedLimit]] | None


class RevokedKeys(JsonModel):
    """The ids as they were given."""

    revoked: tuple[str, ...]
    not_found: tuple[Given, ...]


class OpenedAccess(JsonModel):
    """Whether programs of this machine may use the HTTP API without a token."""

    open: bool


class RenewedUploadKey(JsonModel):
    """Whether another key signs upload addresses now."""

    renewed: bool


class Serving(JsonModel):
    """`url` answers queries. `bucket` is the watched folder. `open` says that programs of this machine need no token,
    because there is neither a password nor a key."""

    url: str
    bucket: Given
    open: bool


class Setting(JsonModel):
    """`origin` is `default`, a file, an environment variable or `--home`. `variable` is the variable that sets it."""

    name: str
    value: Given | int | float
    origin: Given
    variable: str
    description: str


class Settings(JsonModel):
    settings: tuple[Setting, ...]


class TenantSummary(JsonModel):
    """A tenant, named by its folder, and what it has: documents (of which some have failed), the chunks that search
    shows, and what they have cost."""

    tenant: str
    documents: int
    failed: int
    chunks: int
    embedded_texts: int
    billed_tokens: int


class TenantList(JsonModel):
    tenants: tuple[TenantSummary, ...]


class RemovedTenantSummary(JsonModel):
    """`objects` were deleted from the bucket, and `documents` are gone."""

    tenant: str
    objects: int
    documents: int
