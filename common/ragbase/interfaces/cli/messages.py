"""What `--json` prints where the document contract has no shape for it. docs/cli.md shows each."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from ragbase.wire import Wire

Given = Annotated[str, BeforeValidator(lambda text: text.encode("utf-8", "backslashreplace").decode())]
"""A path as it was given. Bytes that are no UTF-8 stand as escapes: JSON cannot hold them."""


class FailedFile(Wire):
    """A path that did not become a document, and why: the file, the rule and the remedy."""

    filename: Given
    error: Given


class IngestSummary(Wire):
    """`documents` are those whose text is in the index now, `unchanged` of them needed no work; `chunks` are theirs."""

    documents: int
    chunks: int
    unchanged: int
    failed: tuple[FailedFile, ...]


class BackfillSummary(Wire):
    """`routed` objects took the way of an upload (or would, in a dry run); `known` ones had done so before. `documents`
    of the routed ones are in the index by now, `chunks` are theirs: none where functions go on with them."""

    routed: int
    known: int
    documents: int
    chunks: int
    failed: tuple[FailedFile, ...]


class ReindexSummary(Wire):
    """`index` is the live one and `model` what it was made with; None where nothing was ever indexed. `made` tells that
    it is new: with `documents` and `chunks`, for `embedded_texts` texts and `billed_tokens` tokens. `refused` documents
    cannot be made as the settings say; `dropped` names the indexes that are gone."""

    made: bool
    index: str | None
    model: str | None
    documents: int
    chunks: int
    embedded_texts: int
    billed_tokens: int
    refused: int
    dropped: tuple[str, ...]


class ReindexEstimate(Wire):
    """What a reindex would do, None and zeros where nothing is to be done. `tokens` is an estimate, from `characters`
    of the `texts` to embed; `kept` texts have their embeddings already. `waiting` documents are in work."""

    index: str | None
    documents: int
    chunks: int
    texts: int
    kept: int
    characters: int
    tokens: int
    refused: int
    waiting: int


class DeleteSummary(Wire):
    """Identifiers as they were given."""

    deleted: tuple[Given, ...]
    not_found: tuple[Given, ...]


class Serving(Wire):
    """`url` answers queries; `bucket` is the folder that is watched."""

    url: str
    bucket: Given


class Setting(Wire):
    """`origin` is `default`, a file, an environment variable or `--home`; `variable` is the one that would set it."""

    name: str
    value: str | int | float
    origin: str
    variable: str
    description: str


class Settings(Wire):
    settings: tuple[Setting, ...]


class Check(Wire):
    """One thing that `doctor` looked at: what it found and, where that is not `ok`, the remedy."""

    name: str
    ok: bool
    needed: bool
    found: str
    remedy: str | None = None


class Checks(Wire):
    """`ok` where everything that is needed is there."""

    ok: bool
    checks: tuple[Check, ...]
