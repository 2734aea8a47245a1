"""Who sends a request, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from ragbase.access.daily_limits import Limited
from ragbase.access.token import Token
from ragbase.domain.reach import EVERYWHERE, Reach


class Scope(StrEnum):
    """What a caller may do: READ asks and looks, WRITE changes documents, EXTRACT reads the files that wait for an
    extractor elsewhere, and gives their texts."""

    READ = "read"
    WRITE = "write"
    EXTRACT = "extract"


EVERYTHING = frozenset({Scope.READ, Scope.WRITE})
"""All that there is to do: they allow what EXTRACT does, too."""


@dataclass(frozen=True, slots=True)
class Caller:
    """`name` is for people: the name of an API key, or how else the caller came in. `tenant` None means all tenants.
    Of the tenant's documents, those within `reach` are there. `limits` are what a key may use in a day, and `until` is
    when it is over. With `origins`, it counts on pages of these alone."""

    name: str
    scopes: frozenset[Scope] = EVERYTHING
    tenant: str | None = None
    key_id: str | None = None
    reach: Reach = EVERYWHERE
    limits: tuple[tuple[Limited, int], ...] = ()
    until: datetime | None = None
    session_id: str | None = None
    origins: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """For records: two keys may have one name."""
        return self.name if self.key_id is None else f"key:{self.key_id}"

    @property
    def is_operator(self) -> bool:
        """Whether they may do all there is to do with all documents: then they may see and do what is the deployment's,
        too. A key of a tenant, of folders or of one scope may not."""
        return self.scopes >= EVERYTHING and self.tenant is None and self.reach.is_everything

    @property
    def basis(self) -> str:
        """What these rights rest on: `key:ID`, `session:ID`, `local` or `iam`. Without it, they are over."""
        return self.id if self.session_id is None else f"session:{self.session_id}"

    def proven_by(self, token: Token) -> bool:
        """Whether it is this token by which the caller is known."""
        return token.id in (self.key_id, self.session_id)


def caller_id_of(basis: str) -> str:
    """The id of the caller whose rights rest on this."""
    return "password" if basis.startswith("session:") else basis


PUBLIC = Caller("public", frozenset({Scope.READ}))
"""Anybody, where the setting public_query lets everybody ask."""
