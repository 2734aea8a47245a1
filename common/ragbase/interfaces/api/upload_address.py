"""The signed address of an upload, where the bucket signs none itself. The address is the right to send the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from itsdangerous import BadSignature, URLSafeSerializer

if TYPE_CHECKING:
    from ragbase.ports import UploadKey


@dataclass(frozen=True, slots=True)
class Promise:
    """What an address allows. `size` is in bytes, and `until` in seconds since 1970."""

    name: str
    size: int
    metadata: Mapping[str, str]
    replace: bool
    until: float


def sign(promise: Promise, key: UploadKey) -> str:
    """The last part of the address."""
    return str(_serializer(key).dumps(asdict(promise)))


def promise_of(token: str, key: UploadKey) -> Promise | None:
    """None if nobody has signed this with the key of now."""
    try:
        return Promise(**_serializer(key).loads(token))
    except BadSignature:
        return None


def _serializer(key: UploadKey) -> URLSafeSerializer:
    return URLSafeSerializer(key.secret(), salt="upload")
