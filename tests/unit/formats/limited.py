"""Work on hostile input, with a limit of processor time. A fault takes many minutes, so the limit is generous."""

from __future__ import annotations

import os
import pickle
import resource
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

SECONDS = 5


def limited(call: Callable[[], Result]) -> Result:
    """What the call returns, in a process of its own that the kernel ends at the limit."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            with os.fdopen(writing, "wb") as answer:
                pickle.dump(call(), answer)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    assert said, f"it failed, or took more than {SECONDS} s of a processor"
    result: Result = pickle.loads(said)
    return result
