"""What every command about one tenant needs first."""

from __future__ import annotations

from ragbase.bootstrap.profile import Profile
from ragbase.config import variable_of
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.tenant import Tenancy


def check_tenancy(profile: Profile) -> None:
    """Raises ConfigurationError if documents have no tenant."""
    if profile.config.tenancy is Tenancy.NONE:
        raise ConfigurationError(
            f"There are no tenants: the setting `tenancy` is none. Set {variable_of('tenancy')}=folder, and run "
            "`ragbase reindex`."
        )
