"""The name of a document that a request means by a path."""

from __future__ import annotations

from ragbase.domain.errors import InvalidObject
from ragbase.domain.object_name import clean_name
from ragbase.domain.tenant import own_name
from ragbase.interfaces.api.access import current_caller
from ragbase.interfaces.http.refused import Refused


def name_of(path: str, field: str) -> str:
    """The document's name: a caller of one tenant may leave the tenant's folder out, and reaches no other. `field` has
    the path. Raises Refused (400)."""
    tenant = current_caller().tenant
    try:
        name = clean_name(path)
        return name if tenant is None else clean_name(own_name(name, tenant))
    except InvalidObject as error:
        raise Refused(400, "INVALID_PATH", f"`{field}`: {error}") from None
