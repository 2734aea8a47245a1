"""A tenant: a part of the bucket whose documents are searched apart from all others."""

from __future__ import annotations

from enum import StrEnum

from ragbase.domain.name_forms import nfc


class Tenancy(StrEnum):
    """How the documents of a bucket are divided."""

    NONE = "none"
    """Into one tenant, named "", that has all of them."""
    FOLDER = "folder"
    """By the first folder of their names. Those without a folder belong to the tenant ""."""

    def tenant_of(self, name: str) -> str:
        """The tenant of the document of this name."""
        return first_folder(name) if self is Tenancy.FOLDER else ""


def first_folder(name: str) -> str:
    """What stands before the first slash; empty if there is none."""
    folder, slash, _ = name.partition("/")
    return folder if slash else ""


def own_name(path: str, tenant: str) -> str:
    """The name that somebody of this tenant means by a path, in NFC: the tenant's folder may be left out."""
    path, folder = nfc(path), f"{nfc(tenant)}/"
    return path if path.startswith(folder) else folder + path
