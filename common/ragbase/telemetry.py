"""The log: one line of JSON for each entry, with its `action` and fields (Cloud Logging's structured format)."""

from __future__ import annotations

import json
import logging
import sys

_LOGGER = logging.getLogger("ragbase")
_WARNINGS = logging.getLogger("py.warnings")
"""What logging.captureWarnings writes to."""
_LOGGER.addHandler(logging.NullHandler())  # a library logs nothing until its user wants it


def log(action: str, *, level: int = logging.INFO, **fields: object) -> None:
    """Log that `action` happened. Fields are facts (ids, counts, codes, durations), never content or secrets."""
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
    """Send ragbase's log, and the warnings of Python and its libraries, to standard error.

    `level` is the name of a level of the logging module.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(_is_relevant)
    for logger in (_LOGGER, _WARNINGS):
        logger.handlers[:] = [handler]
        logger.setLevel(level)
        logger.propagate = False
    # Filters of the `warnings` module would not last: importing weaviate resets them.
    logging.captureWarnings(True)


def _is_relevant(record: logging.LogRecord) -> bool:
    """False for what Google's clients warn of at each start: that they will need a newer grpcio. weaviate-client does
    not accept that grpcio yet."""
    return not (record.name == _WARNINGS.name and "grpcio < " in record.getMessage())
