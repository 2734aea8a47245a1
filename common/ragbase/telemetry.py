"""One line of JSON a log entry, with its `action` and the document's id (Cloud Logging's structured format)."""

from __future__ import annotations

import json
import logging
import sys

_LOGGER = logging.getLogger("ragbase")
_WARNINGS = logging.getLogger("py.warnings")
"""What logging.captureWarnings writes to."""
_LOGGER.addHandler(logging.NullHandler())  # a library says nothing until its user asks


def log(action: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Note that `action` happened. Fields are facts (ids, counts, codes, durations), never content, never secrets."""
    if _LOGGER.isEnabledFor(level):
        _LOGGER.log(level, action, extra={"fields": fields})


class JsonFormatter(logging.Formatter):
    """Formats a record as Cloud Logging's JSON: `severity`, `message`, `action`, then the fields."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "severity": record.levelname,
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "message": record.getMessage(),
        }
        fields: dict[str, object] | None = getattr(record, "fields", None)
        if fields is not None:
            entry["action"] = record.getMessage()
            entry.update(fields)
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str, ensure_ascii=False)


def configure(level: str) -> None:
    """Send ragbase's log, and what Python and its libraries warn of, to standard error.

    `level` is a name of the logging module.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_concerns_us)
    for logger in (_LOGGER, _WARNINGS):
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
    # Filters of the module warnings would not last: importing weaviate resets them.
    logging.captureWarnings(True)


def _concerns_us(record: logging.LogRecord) -> bool:
    """Not so what Google's clients say at each start of a grpcio to come, which weaviate-client does not take yet."""
    return not (record.name == _WARNINGS.name and "grpcio < " in record.getMessage())
