"""The vector stores of a caller, as OpenAI and Dify name parts of a knowledge: `ragbase` has all documents that the
caller reaches, and `vs_` with a tenant's name those of that tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.name_forms import nfc
from ragbase.domain.tenant import Tenancy
from ragbase.engine.tenant_names import tenant_names
from ragbase.interfaces.api.guard import callers_meter, current_caller
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

WHOLE = "ragbase"
_OF_TENANT = "vs_"


@dataclass(frozen=True, slots=True)
class Store:
    """`tenant` is None for the documents of all tenants."""

    id: str
    name: str
    tenant: str | None

    def knowledge(self, profile: Profile) -> ProfileKnowledge:
        """What the caller may ask of its documents."""
        return ProfileKnowledge(profile, self.tenant, reach=current_caller().reach, meter=callers_meter())


def callers_stores(profile: Profile) -> Sequence[Store]:
    """The whole, and the tenants that have something to search. A key of a tenant sees this one."""
    return [_whole(), *(_of_tenant(tenant) for tenant in _tenants(profile))]


def callers_store(id: str, profile: Profile) -> Store:
    """Raises Refused (404) if there is no such store, or the caller does not reach it: these cannot be told apart."""
    if id == WHOLE:
        return _whole()
    tenant = nfc(id.removeprefix(_OF_TENANT))
    if not id.startswith(_OF_TENANT) or not _is_there(tenant, profile):
        raise Refused(404, "NOT_FOUND", f"There is no store {id[:100]}. GET /v1/vector_stores lists the stores.")
    return _of_tenant(tenant)


def _whole() -> Store:
    return Store(WHOLE, WHOLE, current_caller().tenant)


def _of_tenant(tenant: str) -> Store:
    return Store(f"{_OF_TENANT}{tenant}", tenant, tenant)


def _is_there(tenant: str, profile: Profile) -> bool:
    """Also a tenant that has nothing to search yet: somebody may wait for its first document, or ask why it failed."""
    if tenant in _tenants(profile):
        return True
    caller = current_caller()
    if profile.config.tenancy is not Tenancy.FOLDER or caller.tenant is not None:
        return False
    return bool(profile.documents.page(tenant=tenant, reach=caller.reach, limit=1))


def _tenants(profile: Profile) -> Sequence[str]:
    caller = current_caller()
    if profile.config.tenancy is not Tenancy.FOLDER:
        return ()
    if caller.tenant is not None:
        return (caller.tenant,)
    names = tenant_names(profile.current_index.get())
    return [name for name in names if caller.reach.is_everything or caller.reach.meets(name)]
