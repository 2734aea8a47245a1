"""How a function starts."""

from __future__ import annotations

import sys

from ragbase import telemetry
from ragbase.bootstrap import Profile, open_profile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError


def start() -> Profile:
    """Read the settings, and open the profile that they name; its clients are made when they are first used.

    A wrong setting ends the process with a line that names it, so that a deployment fails and not its first request.
    """
    try:
        config = load_config()
    except ConfigurationError as error:
        sys.exit(str(error))
    telemetry.configure(config.log_level)
    return open_profile(config)
