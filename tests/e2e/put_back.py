"""What a command changes of its process, for a process that goes on."""

from __future__ import annotations

import logging
import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any

LOGGERS = ("", "ragbase", "py.warnings", "gunicorn.error", "gunicorn.access")
"""Those that ragbase.telemetry sets up. The first one is the root."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)


def state() -> dict[str, Any]:
    """What belongs to the whole process."""
    umask = os.umask(0o022)
    os.umask(umask)
    return {
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "umask": umask,
        "signals": {number: signal.getsignal(number) for number in SIGNALS},
        "loggers": {name: _state_of(logging.getLogger(name)) for name in LOGGERS},
        "warnings": warnings.showwarning,
        "context": dict(copy_context().items()),
    }


def _state_of(logger: logging.Logger) -> tuple[int, bool, bool, list[logging.Handler], list[Any]]:
    return logger.level, logger.disabled, logger.propagate, [*logger.handlers], [*logger.filters]


@contextmanager
def put_back() -> Iterator[None]:
    """Put back what a command may change on purpose: where the log goes, and whether warnings go there. It has no right
    to change anything else: `state` shows it to tests/e2e/test_warm.py."""
    before = state()
    try:
        yield
    finally:
        for name, (level, is_disabled, propagates, handlers, filters) in before["loggers"].items():
            logger = logging.getLogger(name)
            logger.setLevel(level)
            logger.disabled, logger.propagate = is_disabled, propagates
            logger.handlers[:], logger.filters[:] = handlers, filters
        logging.captureWarnings(False)
        warnings.showwarning = before["warnings"]
