"""Which names and metadata an object may have."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from ragbase.domain.errors import InvalidObject
from ragbase.domain.limits import MAX_PATH

_MAX_COMPONENT = 255
"""Bytes between two slashes: what the common file systems store (NAME_MAX of ext4, XFS, APFS)."""

_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Unicode's categories of characters that change a line, or its direction, and are not seen themselves."""
_RESERVED = ".well-known/acme-challenge/"
"""https://cloud.google.com/storage/docs/objects#naming"""


def clean_name(path: str) -> str:
    """The object's name that somebody elsewhere means by a path: normalised (NFC), with slashes, without the blanks
    around it and a leading slash or "./". Raises InvalidObject for what no cleaning makes a safe name."""
    if not is_unicode(path):
        raise InvalidObject(f"{path!r} is not valid UTF-8. Names have to be. Rename the file.")
    name = unicodedata.normalize("NFC", path).replace("\\", "/").strip()
    while name.startswith(("/", "./")):
        name = name.removeprefix("/").removeprefix("./")
    if any(unicodedata.category(character) in _UNSEEN for character in name):
        raise InvalidObject(f"{name!r} has control characters, which names may not have. Rename the file.")
    if len(name.encode()) > MAX_PATH:
        raise InvalidObject(f"{name[:40]!r}… has more than {MAX_PATH} bytes, the limit of a name. Shorten it.")
    if name.startswith(_RESERVED):
        raise InvalidObject(
            f"{name!r}: Cloud Storage reserves names that begin with {_RESERVED}. Give it another name."
        )
    check_object(name, {})
    return name


def check_object(name: str, metadata: Mapping[str, str]) -> None:
    """Raise InvalidObject if some bucket could not hold the object: a name is a relative path in UTF-8."""
    for text in (name, *metadata, *metadata.values()):
        if not is_unicode(text):
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


def is_unicode(text: str) -> bool:
    """Whether UTF-8 can write the text. Python gives names of files with other bytes, too."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
