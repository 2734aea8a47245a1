"""The tenants that have something to search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.tenant import Tenancy
from ragbase.settings import variable_of

if TYPE_CHECKING:
    from ragbase.ports import OpenIndex


def tenant_names(index: OpenIndex | None) -> Sequence[str]:
    """By name. Empty if the index is not split by tenant, or if there is none yet."""
    return index.tenants() if index is not None and index.index.is_split else ()


def check_tenancy(tenancy: Tenancy) -> None:
    """Raises ConfigurationError if documents have no tenant."""
    if tenancy is Tenancy.NONE:
        raise ConfigurationError(
            f"There are no tenants: the setting `tenancy` is none. Set {variable_of('tenancy')}=folder, and run "
            "`ragbase reindex`."
        )
