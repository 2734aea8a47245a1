"""Which names and metadata an object may have."""

from __future__ import annotations

from collections.abc import Mapping

from ragbase.domain.errors import InvalidObject

_MAX_COMPONENT = 255
"""Bytes between two slashes: what the common file systems store (NAME_MAX of ext4, XFS, APFS)."""


def check_object(name: str, metadata: Mapping[str, str]) -> None:
    """Raise InvalidObject if some bucket could not hold the object: a name is a relative path in UTF-8."""
    for text in (name, *metadata, *metadata.values()):
        if not _is_unicode(text):
            raise InvalidObject(f"{text!r} is not valid UTF-8. Names and metadata have to be. Rename the file.")
    for component in name.split("/"):
        if component in ("", ".", "..") or "\0" in component:
            raise InvalidObject(
                f"{name!r} cannot be an object's name: it has to be a relative path such as folder/file.md, without "
                "empty parts, '.', '..' or NUL. Give it another name."
            )
        if len(component.encode()) > _MAX_COMPONENT:
            raise InvalidObject(
                f"{name!r} cannot be an object's name: {component!r} has more than {_MAX_COMPONENT} bytes, the limit "
                "for each part between slashes. Shorten it."
            )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
