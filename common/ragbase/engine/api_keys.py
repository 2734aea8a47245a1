"""Make and revoke API keys on somebody's wish, with entries in the audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.access.api_keys import ApiKeys
from ragbase.domain.audit import Action
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.tenant import Tenancy
from ragbase.engine.tenant_names import check_tenancy

if TYPE_CHECKING:
    from ragbase.access.api_keys import ApiKey
    from ragbase.access.audit import Audit
    from ragbase.access.caller import Scope
    from ragbase.access.daily_limits import Limits
    from ragbase.access.token import Token
    from ragbase.bootstrap.profile import Profile
    from ragbase.ports import Checkpoints, Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedKey:
    """What somebody wants a key to be (access/api_keys.py). `lasting` None means that it has no end."""

    name: str
    scopes: Sequence[Scope]
    tenant: str | None = None
    prefixes: Sequence[str] = ()
    origins: Sequence[str] = ()
    lasting: timedelta | None
    limits: Limits = field(default_factory=dict)


def keys_of(checkpoints: Checkpoints, clock: Clock) -> ApiKeys:
    """The keys, whatever the settings of sign-in are."""
    return ApiKeys(lambda: checkpoints, clock)


def make_key(wanted: WantedKey, profile: Profile) -> tuple[ApiKey, Token]:
    """The key, with its token: nobody sees it again. Raises ConfigurationError for what no key can be."""
    if wanted.tenant is not None:
        check_tenancy(profile.config.tenancy)
    elif wanted.origins and not wanted.prefixes and profile.config.tenancy is not Tenancy.NONE:
        raise ConfigurationError(
            "The key is for pages, and would let everybody who sees them ask the documents of all tenants. Name the "
            "one tenant with --tenant, or folders with --prefix (`tenant` and `prefixes` over HTTP)."
        )
    with profile.audit.changing(Action.CREATE_KEY) as recorded:
        key, token = keys_of(profile.checkpoints, profile.clock).create(
            wanted.name,
            scopes=wanted.scopes,
            tenant=wanted.tenant,
            prefixes=wanted.prefixes,
            origins=wanted.origins,
            lasting=wanted.lasting,
            limits=wanted.limits,
        )
        recorded.update(key=key.id, scopes=" ".join(sorted(key.scopes)))
    telemetry.log("access.key_created", id=key.id, name=key.name)
    return key, token


def revoke_key(id: str, keys: ApiKeys, audit: Audit) -> bool:
    """Refuse this key from now on. False if there is no such key."""
    with audit.changing(Action.REVOKE_KEY, details={"key": id}):
        is_revoked = keys.revoke(id) is not None
    if is_revoked:
        telemetry.log("access.key_revoked", id=id)
    return is_revoked
