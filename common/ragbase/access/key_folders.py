"""The tenant and the folders that a key can be for: those that uploads can have."""

from __future__ import annotations

from ragbase.domain.errors import ConfigurationError, InvalidObject
from ragbase.domain.labels import DEEPEST
from ragbase.domain.name_forms import nfc
from ragbase.domain.object_name import clean_name
from ragbase.domain.tenant import first_folder, own_name


def folder_of(prefix: str, tenant: str | None) -> str:
    """The folder of the bucket that a prefix means, in NFC. It stays as it is where an upload's name is cleaned. Raises
    ConfigurationError for what cannot be one."""
    folder = nfc(prefix).removesuffix("/")
    try:
        name = own_name(folder, tenant) if tenant is not None and folder != tenant else folder
        is_clean = bool(folder) and clean_name(f"{name}/a.md") == f"{name}/a.md"
    except InvalidObject:
        is_clean = False
    if not is_clean or name.count("/") >= DEEPEST:
        raise ConfigurationError(
            f"{prefix!r} cannot be a prefix. A prefix is a folder of documents, such as finance/ or finance/2026: "
            f"without a slash in front, without blanks around it, and at most {DEEPEST} folders deep."
        )
    return name


def tenant_in_nfc(tenant: str) -> str:
    """An upload's name is cleaned, so only a folder that stays as it is can have uploads. Raises ConfigurationError."""
    tenant = nfc(tenant)
    example = f"{tenant}/a.md"
    try:
        is_clean = clean_name(example) == example and first_folder(example) == tenant
    except InvalidObject:
        is_clean = False
    if not is_clean:
        raise ConfigurationError(
            f"{tenant!r} cannot be a tenant. A tenant is the first folder of a document's name: without slashes, "
            "and without blanks around it."
        )
    return tenant
