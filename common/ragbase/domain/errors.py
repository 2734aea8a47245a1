"""Every error of ragbase, and what the queue should do about it.

An error is *permanent* (the document becomes FAILED with its code, and the message is acknowledged) or *transient* (it
is raised, so that the queue delivers the message again later).
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why a document is FAILED: six codes of docs/contracts/documents.md, section 2, then three for its section 5."""

    PASSWORD_PROTECTED = "PASSWORD_PROTECTED"  # noqa: S105 - a code, not a password
    CORRUPT_FILE = "CORRUPT_FILE"
    UNSUPPORTED_FORMAT = "UNSUPPORTED_FORMAT"
    OCR_FAILED = "OCR_FAILED"
    TIMEOUT = "TIMEOUT"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    FILE_TOO_LARGE = "FILE_TOO_LARGE"
    TEXT_TOO_SHORT = "TEXT_TOO_SHORT"
    TEXT_TOO_NOISY = "TEXT_TOO_NOISY"


class RagbaseError(Exception):
    """The base of every error that ragbase raises on purpose. Its text is for users."""


class PermanentError(RagbaseError):
    """Another attempt would fail in the same way: record the failure, acknowledge, and let a person decide."""

    def __init__(self, code: ErrorCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type[PermanentError], tuple[ErrorCode, str]]:
        """Errors come from the extraction process, so it must be possible to pickle them."""
        return (type(self), (self.code, self.reason))


class TransientError(RagbaseError):
    """It may work later: the message goes back to the queue. If it never works, the text is kept in the record."""


class Busy(TransientError):
    """Others go first: another worker holds the document's lease, a reindex is about to switch to another index, or the
    rate of a service is booked. This does not count as an attempt."""


class NoTurn(Busy):
    """The rate of a service is booked for as long as this work may take. Others are served meanwhile."""


class Unavailable(TransientError):
    """No document can be processed now, whatever its content: a service does not answer, limits the rate, or fails.

    It is not the document's fault, and does not count as an attempt.
    """


class IndexGone(Unavailable):
    """The index was dropped, because another one has replaced it. The caller should use the current index."""


class GenerationGone(RagbaseError):
    """The bytes of this generation are no longer in the bucket: they were overwritten or deleted."""


class AlreadyExists(RagbaseError):
    """There is a document of this name with other bytes."""


class GenerationChanged(RagbaseError):
    """An object was not written, because the live generation is not the one that the write was to replace."""


class NotAwaited(RagbaseError):
    """A document does not wait for what an extractor elsewhere says of it, or not any more. Nothing was changed."""


class InvalidObject(RagbaseError):
    """An object cannot have this name or metadata. The message names it, the rule and the remedy."""


class UnreadableFile(RagbaseError):
    """A file to upload cannot be read. The message names it, the reason and the remedy."""


class EntryChanged(RagbaseError):
    """A file of a source is not the one that was listed: it was changed or removed meanwhile."""


class UnreadableSource(RagbaseError):
    """A source cannot be listed. The message names it, the reason and the remedy."""


class TooManyVanished(RagbaseError):
    """So many documents have vanished from a source that it may be a mistake. None of them was deleted."""


class QuestionRefused(RagbaseError):
    """The service of a model refuses a question, or the passages for its answer. The message says why."""


class TenantNeeded(RagbaseError):
    """A question to all tenants, of whom there are too many. The message says how many, and the remedy."""


class DocumentNotFound(RagbaseError):
    """There is no document with this id, or it is deleted."""


class TenantNotFound(RagbaseError):
    """There is no tenant of this name. The message names the tenants that there are."""


class TextGone(RagbaseError):
    """The text that search shows of a document cannot be had any more. The message says why, and the remedy."""


class BadDataset(RagbaseError):
    """Questions or documents to evaluate with cannot be read. The message names the file, the line and the remedy."""


class TooManyQuestions(RagbaseError):
    """No more golden questions can be kept."""


class GateRefused(RagbaseError):
    """A reindex may not switch to the index that it has built, because it answers worse."""


class MalformedMessage(RagbaseError):
    """A message is not of the kind that its topic carries. It becomes a dead letter."""


class NotSignedIn(RagbaseError):
    """Nobody knows who asks: the request has no token, or one that is wrong, over or revoked."""


class NotAllowed(RagbaseError):
    """The caller is known, and may not do this."""


class TooManyRequests(RagbaseError):
    """A limit is used up. It has room again after `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ConfigurationError(RagbaseError):
    """A setting is missing, unknown or wrong. The message names the setting and the remedy."""


class NewerFormat(ConfigurationError):
    """A newer ragbase has changed the data folder while this process works with it. Only a newer process can go on."""


class MissingExtra(ConfigurationError, ModuleNotFoundError):
    """A module is not installed that an extra of the distribution installs. The message names the extra and the
    command."""


class NotSplit(ConfigurationError):
    """One tenant is to be searched, and the index is not split by tenant. The message names the remedy."""
