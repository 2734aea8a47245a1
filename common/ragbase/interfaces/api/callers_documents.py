"""The documents of a caller: those of the own tenant, and within the key's reach. To others, they are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.domain.errors import InvalidObject, NotAllowed
from ragbase.domain.object_name import clean_name
from ragbase.domain.tenant import own_name
from ragbase.engine.seen_document import seen_document
from ragbase.interfaces.api.guard import callers_meter, current_caller
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


def found(id: str, profile: Profile) -> Document:
    """The document's record. Raises Refused (404) if there is none, or it is deleted, or another tenant's, or out of
    reach: these cannot be told apart."""
    caller = current_caller()
    record = seen_document(id, profile.documents, profile.config.tenancy, tenant=caller.tenant, reach=caller.reach)
    if record is None:
        raise not_found(id)
    return record


def not_found(id: str) -> Refused:
    return Refused(404, "NOT_FOUND", f"There is no document {id}. GET /api/documents lists the documents.")


def name_of(path: str, field: str) -> str:
    """The document's name: a caller of one tenant may leave the tenant's folder out, and reaches no other. `field` has
    the path. Raises Refused (400), and NotAllowed for a name out of reach, whether there is such a document or not."""
    caller = current_caller()
    try:
        name = clean_name(path)
        name = name if caller.tenant is None else clean_name(own_name(name, caller.tenant))
    except InvalidObject as error:
        raise Refused(400, "INVALID_PATH", f"`{field}`: {error}") from None
    if not caller.reach.has(name):
        raise NotAllowed(
            f"`{field}`: the API key {caller.name} reaches only {_listed(caller.reach.folders)}. Choose a path there, "
            "or use another key."
        )
    return name


def callers_knowledge(profile: Profile) -> ProfileKnowledge:
    """What the caller may ask of the documents."""
    caller = current_caller()
    return ProfileKnowledge(profile, caller.tenant, reach=caller.reach, meter=callers_meter())


def _listed(folders: Sequence[str]) -> str:
    return " and ".join(f"{folder}/" for folder in folders)
