"""The only place that chooses adapters: by the setting `profile`."""

from __future__ import annotations

from ragbase.bootstrap.profile import Profile
from ragbase.config import Config

__all__ = ["Profile", "open_profile"]


def open_profile(config: Config) -> Profile:
    """The profile that the configuration names. Its adapters are built when they are first used."""
    if config.profile == "gcp":
        from ragbase.bootstrap.cloud import CloudProfile

        return CloudProfile(config)
    from ragbase.bootstrap.embedded import EmbeddedProfile

    return EmbeddedProfile(config)
