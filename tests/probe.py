"""A program that serves one function in its own process, sends it one request, and reports the time and the modules.

It reads {"target", "source", "path", "headers", "body"} as JSON from standard input, and prints one line of JSON. It
needs only functions-framework, so it runs in the environment of any function.
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
    """Adds up the CPU time of all import statements, in all threads, in seconds. What pydantic builds at the first use
    of a model counts, too: models are usually built while their module is imported.

    CPU time does not count other processes on the machine, nor the time that an import waits.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._import = builtins.__import__
        self._within = threading.local()
        builtins.__import__ = self._imported

    def _imported(self, *statement: Any, **options: Any) -> Any:
        return self._timed(self._import, *statement, **options)

    def count_models(self) -> None:
        """From now on. Needs pydantic to be loaded, if it ever is."""
        if "pydantic" in sys.modules:
            model = sys.modules["pydantic"].BaseModel
            build = model.model_rebuild.__func__
            model.model_rebuild = classmethod(lambda *of, **options: self._timed(build, *of, **options))

    def _timed(self, call: Any, *arguments: Any, **options: Any) -> Any:
        if getattr(self._within, "one", False):
            return call(*arguments, **options)
        self._within.one = True
        start = time.thread_time()
        try:
            return call(*arguments, **options)
        finally:
            self.seconds += time.thread_time() - start
            self._within.one = False


def main() -> None:
    asked = json.load(sys.stdin)
    start, imports = time.perf_counter(), Imports()
    from functions_framework import create_app

    app = create_app(asked["target"], asked["source"])  # type: ignore[no-untyped-call]  # the package has no types
    client = app.test_client()
    ready = time.perf_counter()
    imports.count_models()
    answer = client.post(asked["path"], headers=asked["headers"], json=asked["body"])
    answered = time.perf_counter()
    report = {
        "status": answer.status_code,
        "body": answer.get_data(as_text=True),
        "import_seconds": imports.seconds,
        "ready_seconds": ready - start,
        "first_answer_seconds": answered - start,
        "modules": sorted(sys.modules),
    }
    print(json.dumps(report), flush=True)
    os._exit(0)  # do not wait for the threads of clients


if __name__ == "__main__":
    main()
