"""The signed address of an upload, where the bucket signs none itself. The address is the right to send the file."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from itsdangerous import BadSignature, URLSafeSerializer

if TYPE_CHECKING:
    from ragbase.ports import UploadKey


@dataclass(frozen=True, slots=True)
class Promise:
    """What an address allows. `size` is in bytes, and `until` in seconds since 1970. `basis` is what the rights of who
    asked for it rest on (Caller.basis): the address ends with them. `nonce` tells it from every other one, as it works
    once."""

    name: str
    size: int
    metadata: Mapping[str, str]
    replace: bool
    until: float
    basis: str
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def unfinished_name(self) -> str:
        """The name of the file while its parts come (ports/unfinished_files.py)."""
        return sha256(self.basis.encode()).hexdigest()[:16] + self.nonce


def sign(promise: Promise, key: UploadKey) -> str:
    """The last part of the address."""
    return str(_serializer(key).dumps(asdict(promise)))


def promise_of(token: str, key: UploadKey) -> Promise | None:
    """None if nobody has signed this with the key of now. An older version did not say for whom: its promises rest on
    nothing, so they are over."""
    try:
        return Promise(**{"basis": "", "nonce": "", **_serializer(key).loads(token)})
    except BadSignature:
        return None


def _serializer(key: UploadKey) -> URLSafeSerializer:
    return URLSafeSerializer(key.secret(), salt="upload")
