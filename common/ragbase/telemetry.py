"""The log: one line of JSON for each entry, with its `action` and fields (Cloud Logging's structured format)."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

_LOGGER = logging.getLogger("ragbase")
_WARNINGS = "py.warnings"
"""The logger that logging.captureWarnings writes to."""
_APART = ("gunicorn.error", "gunicorn.access")
"""The loggers of the deployed functions' server. It gives them handlers of their own when it starts, after us."""
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The name of the HTTP request that this thread answers; empty if it answers none."""
caller_id: ContextVar[str] = ContextVar("caller_id", default="")
"""Who sent that request (Caller.id); empty if it answers none, or if nobody knows."""
client_address: ContextVar[str] = ContextVar("client_address", default="")
"""Where that request comes from; empty if it answers none."""
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")
_LOGGER.addHandler(logging.NullHandler())  # a library logs nothing until its user wants it


def log(action: str, text: str = "", /, *, level: int = logging.INFO, **fields: object) -> None:
    """Log that `action` happened. Fields are facts (ids, counts, codes, durations), never content or secrets. `text`
    says it in a sentence, for a program whose own log shows no fields."""
    if _LOGGER.isEnabledFor(level):
        _LOGGER.log(level, "%s", text or action, extra={"action": action, "fields": fields})


@dataclass(frozen=True, slots=True)
class Trace:
    """What belongs together over all processes, such as the work on one upload. `id` has 32 hex digits; `span` has 16:
    the call that asked for this work."""

    id: str
    span: str
    sampled: bool = False

    @classmethod
    def read(cls, traceparent: str) -> Trace | None:
        """From W3C's header (https://www.w3.org/TR/trace-context/#traceparent-header). None if there is none in it."""
        found = _TRACEPARENT.fullmatch(traceparent)
        if found is None or not found[1].strip("0") or not found[2].strip("0"):
            return None
        return cls(found[1], found[2], sampled=bool(int(found[3], 16) & 1))

    @property
    def traceparent(self) -> str:
        return f"00-{self.id}-{self.span}-{int(self.sampled):02x}"


trace: ContextVar[Trace | None] = ContextVar("trace", default=None)
"""The trace that this thread works for."""


@contextmanager
def traced(by: Trace | None) -> Iterator[None]:
    """What this thread logs and publishes meanwhile belongs to the trace."""
    before = trace.set(by)
    try:
        yield
    finally:
        trace.reset(before)


class JsonFormatter(logging.Formatter):
    """Formats a record as Cloud Logging's JSON: `severity`, `message`, `action`, then the fields. An entry of a library
    has its `logger` instead of an action and fields. With the id of a Google Cloud project, it also has the names by
    which Cloud Logging shows all entries of a trace together."""

    def __init__(self, project: str = "") -> None:
        super().__init__()
        self._project = project

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "severity": record.levelname,
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "message": record.getMessage(),
        }
        if request := request_id.get():
            entry["requestId"] = request
        if caller := caller_id.get():
            entry["callerId"] = caller
        if self._project and (work := trace.get()):
            entry["logging.googleapis.com/trace"] = f"projects/{self._project}/traces/{work.id}"
            entry["logging.googleapis.com/spanId"] = work.span
            entry["logging.googleapis.com/trace_sampled"] = work.sampled
        fields: dict[str, object] | None = getattr(record, "fields", None)
        if fields is not None:
            entry["action"] = getattr(record, "action", record.getMessage())
            entry.update(fields)
        else:
            entry["logger"] = record.name
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str, ensure_ascii=False)


def configure(level: str, project: str = "") -> None:
    """Send the log of this process to standard error: ragbase's from `level` up, which is the name of a level of the
    logging module, and what libraries and Python itself log from WARNING up, or from `level` if that is higher.
    `project` is the Google Cloud project that has the traces."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(project))
    handler.addFilter(_is_relevant)
    root = logging.getLogger()
    root.handlers[:] = [other for other in root.handlers if not _prints(other)] + [handler]
    _enable_all()
    root.setLevel(max(logging.getLevelName(level), logging.WARNING))
    _LOGGER.setLevel(level)
    for name in _APART:
        logging.getLogger(name).filters[:] = [_Redirect(handler)]
    # Filters of the `warnings` module would not last: importing weaviate resets them.
    logging.captureWarnings(True)


def _prints(handler: logging.Handler) -> bool:
    """Whether it writes to standard output or error. An earlier handler of ours does, and so does one that
    functions-framework adds if LOG_EXECUTION_ID is set: each entry would come twice, the second time without severity,
    action and trace. Handlers of other kinds, for files or of a test, are subclasses."""
    return type(handler) is logging.StreamHandler


def _enable_all() -> None:
    """functions-framework adds its handler with logging.config, which turns off all loggers that exist by then."""
    for logger in logging.root.manager.loggerDict.values():
        if isinstance(logger, logging.Logger):
            logger.disabled = False


class _Redirect(logging.Filter):
    """Gives a logger's entries to our handler, and to no other."""

    def __init__(self, handler: logging.Handler) -> None:
        super().__init__()
        self._handler = handler

    def filter(self, record: logging.LogRecord) -> bool:
        self._handler.handle(record)
        return False


def _is_relevant(record: logging.LogRecord) -> bool:
    """False for what Google's clients warn of at each start: that they will need a newer grpcio. weaviate-client does
    not accept that grpcio yet."""
    return not (record.name == _WARNINGS and "grpcio < " in record.getMessage())
