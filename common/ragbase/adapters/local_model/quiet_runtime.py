"""onnxruntime, which runs the graphs of the models, without its reports to its maker."""

from __future__ import annotations

import os
from typing import Any


def quiet_runtime() -> Any:
    """The module onnxruntime. From version 1.29 on, it would keep an identifier of the machine in the cache folder, and
    send events about the process, its models and its errors (https://github.com/microsoft/onnxruntime/pull/27379).
    This variable stops all of it if it is set before the first use, and holds for the whole process."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime  # type: ignore[import-untyped]  # it ships no types

    return onnxruntime
