"""What has happened to an object, as its bucket says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class EventKind(StrEnum):
    FINALISED = "finalised"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectEvent:
    """One generation of an object was finalised or deleted.

    `generation` is a number that no other generation of the same name has, also after a deletion. It gives no order: a
    later generation may have a lower number. `size` is in bytes. `md5` is lower-case hex, and empty where the bucket
    does not know it. `overwritten` marks the deletion of a generation that another one has replaced. `metadata` is what
    the uploader attached to the object.
    """

    kind: EventKind
    bucket: str
    name: str
    generation: int
    size: int = 0
    md5: str = ""
    content_type: str = ""
    overwritten: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
