"""How a function starts."""

from __future__ import annotations

import sys
from typing import Literal

from ragbase import telemetry
from ragbase.bootstrap import Profile, open_profile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError


def start(*, index: Literal["unused", "read", "filled"] = "unused") -> Profile:
    """Read the settings, open the profile that they name, and check what the function uses of the index.

    A wrong setting ends the process with a line that names it, so that a deployment fails and not its first request.
    No client is made yet: functions-framework loads the function in gunicorn's master and forks the worker that serves
    it from there, which neither a channel of gRPC nor the thread of a connection survives.
    """
    try:
        config = load_config()
        telemetry.configure(config.log_level)
        profile = open_profile(config)
        profile.fills_index = index == "filled"
        if index != "unused":
            profile.check_index()
    except ConfigurationError as error:
        sys.exit(" ".join(str(error).split()))
    except ModuleNotFoundError as error:
        sys.exit(
            f"The settings `vector_store` and `embedder` ask for the module {error.name}, which is not installed. "
            "Change them, or add its package to the function's requirements (scripts/lock)."
        )
    return profile
