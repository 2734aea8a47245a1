"""Check the settings of sign-in. Every function does this when it starts, even if nobody signs in there, so this
file loads little."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.tenant import Tenancy

if TYPE_CHECKING:
    from ragbase.access.daily_limits import Limits
    from ragbase.access.password import PasswordHash
    from ragbase.settings import Config

_WAYS = {"embedded": ("required", "local"), "gcp": ("required", "iam")}
"""The values of the setting `sign_in` that each profile has. Nothing but Cloud Run asks IAM, and in the cloud nobody is
local."""


def check_settings(config: Config) -> None:
    """Raises ConfigurationError if the settings of sign-in are wrong."""
    if config.sign_in not in _WAYS[config.profile]:
        raise ConfigurationError(
            f"The setting `sign_in` is {config.sign_in}, but the profile {config.profile} has "
            f"{' and '.join(_WAYS[config.profile])}. Set one of them."
        )
    if config.public_query and config.tenancy is not Tenancy.NONE:
        raise ConfigurationError(
            "The setting `public_query` would show everybody the documents of all tenants. Switch it off, or set "
            "`tenancy` to none."
        )
    configured_password(config)
    tenant_limits(config)


def tenant_limits(config: Config) -> Limits:
    """What each tenant may use in a day. Raises ConfigurationError for limits that are none, or where there are no
    tenants."""
    if not config.tenant_limits:
        return {}
    from ragbase.access.daily_limits import parse_limits

    if config.tenancy is Tenancy.NONE:
        raise ConfigurationError(
            "The setting `tenant_limits` limits each tenant, but the setting `tenancy` is none. Set `tenancy` to "
            "folder, or leave `tenant_limits` out."
        )
    try:
        return parse_limits(config.tenant_limits.split(","))
    except ConfigurationError as error:
        raise ConfigurationError(f"The setting `tenant_limits`: {error}") from None


def configured_password(config: Config) -> PasswordHash | None:
    """Raises ConfigurationError if the setting is no hash of a password."""
    text = config.password_hash.get_secret_value().strip()
    if not text:
        return None
    from ragbase.access.password import PasswordHash

    return PasswordHash.parse(text)
