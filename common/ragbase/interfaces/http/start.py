"""The start of a deployed function."""

from __future__ import annotations

import os
import sys
from typing import Literal

from ragbase import telemetry
from ragbase.access.settings import check_settings
from ragbase.bootstrap.cloud import CloudProfile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError


def start(*, index: Literal["unused", "kept", "read", "filled"] = "unused") -> CloudProfile:
    """Read the settings, open their profile, and check the index if the function uses it. A function that keeps the
    index in order neither embeds nor answers. One that fills it reads files, and says what keeps their readers in.

    A wrong setting ends the process with a line that names it. So the deployment fails, and not its first request.
    No client is made yet: functions-framework loads the function in gunicorn's master process and then forks the worker
    that serves it. Neither a gRPC channel nor the thread of a connection survives a fork.
    """
    try:
        config = load_config()
        telemetry.configure(config.log_level, config.project)
        check_settings(config)
        profile = CloudProfile(config)
        profile.audit.actor = f"function:{os.environ.get('K_SERVICE', 'local')}"
        profile.fills_index = index == "filled"
        profile.embeds = index != "kept"
        if index != "unused":
            profile.check_index()
        if index == "filled":
            profile.check_sandbox()
    except ModuleNotFoundError as error:
        sys.exit(
            f"The settings `vector_store` and `embedder` need the module {error.name}, which is not installed. "
            "Change them, or add its package to the function's requirements (scripts/lock)."
        )
    except ConfigurationError as error:
        sys.exit(" ".join(str(error).split()))
    return profile
