"""A program: serve one function in this process, ask it once, and tell what that took and what it loaded.

Takes {"target", "source", "path", "headers", "body"} as JSON on its standard input, and prints one line of JSON. It
needs nothing but functions-framework, so that it runs in the environment of any function.
"""

from __future__ import annotations

import builtins
import json
import os
import sys
import threading
import time
from typing import Any


class Imports:
    """Takes the time of every import statement, whichever thread meets it, in seconds of that thread's CPU time: other
    processes on the machine do not count, nor does what a module's import waits for."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._import = builtins.__import__
        self._within = threading.local()
        builtins.__import__ = self._timed

    def _timed(self, *statement: Any, **options: Any) -> Any:
        if getattr(self._within, "one", False):
            return self._import(*statement, **options)
        self._within.one = True
        start = time.thread_time()
        try:
            return self._import(*statement, **options)
        finally:
            self.seconds += time.thread_time() - start
            self._within.one = False


def main() -> None:
    asked = json.load(sys.stdin)
    start, imports = time.perf_counter(), Imports()
    from functions_framework import create_app

    app = create_app(asked["target"], asked["source"])  # type: ignore[no-untyped-call]  # it says nothing of types
    client = app.test_client()
    ready = time.perf_counter()
    answer = client.post(asked["path"], headers=asked["headers"], json=asked["body"])
    answered = time.perf_counter()
    told = {
        "status": answer.status_code,
        "body": answer.get_data(as_text=True),
        "import_seconds": imports.seconds,
        "ready_seconds": ready - start,
        "first_answer_seconds": answered - start,
        "modules": sorted(sys.modules),
    }
    print(json.dumps(told), flush=True)
    os._exit(0)  # without waiting for the threads of clients


if __name__ == "__main__":
    main()
