"""The number of a change as others see it: sealed, because the numbers tell of the changes of other tenants."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.ports import UploadKey

_NUMBER, _NONCE, _TAG = 8, 8, 12
"""Bytes."""


def change_id(number: int, key: UploadKey) -> str:
    """Another text each time, so that nobody sees whether two of them have the same number."""
    secret, nonce = key.secret().encode(), secrets.token_bytes(_NONCE)
    hidden = _xor(number.to_bytes(_NUMBER), _pad(secret, nonce))
    return urlsafe_b64encode(nonce + hidden + _tag(secret, nonce + hidden)).rstrip(b"=").decode()


def number_of(id: str, key: UploadKey) -> int | None:
    """None if this deployment has not made the id with its key of now."""
    try:
        text = id.encode("ascii")
        sealed = urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    except ValueError:
        return None
    if len(sealed) != _NONCE + _NUMBER + _TAG:
        return None
    secret = key.secret().encode()
    shown, tag = sealed[:-_TAG], sealed[-_TAG:]
    if not hmac.compare_digest(tag, _tag(secret, shown)):
        return None
    nonce, hidden = shown[:_NONCE], shown[_NONCE:]
    return int.from_bytes(_xor(hidden, _pad(secret, nonce)))


def _pad(secret: bytes, nonce: bytes) -> bytes:
    return hmac.digest(secret, b"change id: pad" + nonce, "sha256")[:_NUMBER]


def _tag(secret: bytes, shown: bytes) -> bytes:
    return hmac.digest(secret, b"change id: tag" + shown, "sha256")[:_TAG]


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
