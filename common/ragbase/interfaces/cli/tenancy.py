"""What every command about the documents of one tenant needs first."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import TenantNotFound

_MOST_TENANTS = 10
"""Names in a message."""


def check_tenant(tenant: str | None, profile: Profile) -> None:
    """Raises TenantNotFound for a tenant that has nothing, while others have. It names them: who uses the command may
    read all."""
    from ragbase.engine.tenant_names import tenant_names

    if tenant is None or profile.documents.count(tenant=tenant) or not profile.documents.page(limit=1):
        return
    known = tenant_names(profile.current_index.get())
    if tenant not in known:
        raise TenantNotFound(f"There is no tenant {tenant!r}.{_of_known(tenant, known)}")


def _of_known(tenant: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    shown = get_close_matches(tenant, known, n=3) or known[:_MOST_TENANTS]
    more = f" and {len(known) - len(shown):,} others" if len(known) > len(shown) else ""
    names = ", ".join(repr(name) for name in shown)
    return f" Those that have documents are {names}{more}: `ragbase tenants list`." if known else ""
