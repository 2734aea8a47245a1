"""Every error of ragbase on one page, and what the queue should do about each.

An error is *permanent* (the document becomes FAILED with its code and the message is acknowledged) or
*transient* (it is raised, so that the queue delivers the message again, later). The codes are those of
the document contract (`ErrorCode`), followed by its rejection rules.
"""

from __future__ import annotations

from enum import StrEnum


class ErrorCode(StrEnum):
    """Why a document is FAILED."""

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
    """The base of every error that ragbase raises on purpose. Its text is fit for a user to read."""


class PermanentError(RagbaseError):
    """Doing it again would end the same way: record it, acknowledge, and let a person decide."""

    def __init__(self, code: ErrorCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type[PermanentError], tuple[ErrorCode, str]]:
        """Errors cross from the extraction process, so they have to survive pickling."""
        return (type(self), (self.code, self.reason))


class TransientError(RagbaseError):
    """It may work later: the message goes back to the queue. The text ends up in the record if it never does."""


class Busy(TransientError):
    """Another worker holds the document's lease. Counts as no attempt."""


class IndexGone(TransientError):
    """The index was dropped, another has taken its place: whoever asks which is live, and asks that one, goes on."""


class GenerationGone(RagbaseError):
    """The bytes of this generation are no longer in the bucket: they were overwritten or deleted."""


class InvalidObject(RagbaseError):
    """An object cannot have this name or metadata. The message names it, the rule and the remedy."""


class UnreadableFile(RagbaseError):
    """A file that is to be uploaded cannot be read. The message names it, the reason and the remedy."""


class DocumentNotFound(RagbaseError):
    """No live document has this id."""


class MalformedMessage(RagbaseError):
    """A message that is not what its topic carries. The subscription's dead-letter policy takes it."""


class ConfigurationError(RagbaseError):
    """A setting is missing, unknown or wrong. The message names the setting and the remedy."""
