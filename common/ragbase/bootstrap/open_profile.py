"""Open the profile that the settings name."""

from __future__ import annotations

from ragbase.bootstrap.profile import Profile
from ragbase.settings import Config


def open_profile(config: Config) -> Profile:
    """The profile that the configuration names. Its adapters are opened at their first use."""
    if config.profile == "gcp":
        from ragbase.bootstrap.cloud import CloudProfile

        return CloudProfile(config)
    from ragbase.bootstrap.embedded import EmbeddedProfile

    return EmbeddedProfile(config)
