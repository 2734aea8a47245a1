"""The documents of a caller: those of the own tenant, and their names. To others, they are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.errors import InvalidObject
from ragbase.domain.object_name import clean_name
from ragbase.domain.tenant import own_name
from ragbase.engine.seen_document import seen_document
from ragbase.interfaces.api.access import current_caller
from ragbase.interfaces.http.refused import Refused

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


def found(id: str, profile: Profile) -> Document:
    """The document's record. Raises Refused (404) if there is none, or it is deleted, or another tenant's: these cannot
    be told apart."""
    record = seen_document(id, profile, tenant=current_caller().tenant)
    if record is None:
        raise not_found(id)
    return record


def not_found(id: str) -> Refused:
    return Refused(404, "NOT_FOUND", f"There is no document {id}. GET /api/documents lists the documents.")


def name_of(path: str, field: str) -> str:
    """The document's name: a caller of one tenant may leave the tenant's folder out, and reaches no other. `field` has
    the path. Raises Refused (400)."""
    tenant = current_caller().tenant
    try:
        name = clean_name(path)
        return name if tenant is None else clean_name(own_name(name, tenant))
    except InvalidObject as error:
        raise Refused(400, "INVALID_PATH", f"`{field}`: {error}") from None
