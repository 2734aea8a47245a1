"""The password: one for the whole deployment, kept as a salted hash in a setting."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ragbase.domain.errors import ConfigurationError, TooManyRequests

MIN_PASSWORD, MAX_PASSWORD = 12, 1_000
"""Characters. The longest keeps a request small; the hash itself does not care."""

_KIND = "scrypt"
_LOG_N, _R, _P = 15, 8, 3
"""32 MiB and about a quarter of a second: one of the settings in OWASP's Password Storage Cheat Sheet. More rounds (p)
instead of more memory, because a function has 1 GiB for everything."""

_MAX_MEMORY = 64 * 1024 * 1024
"""Bytes that one check may take. A hash with larger parameters is refused when it is read."""

_MAX_ROUNDS = 16
_CHECKS = 2
"""Passwords checked at once, so that they leave memory and processors to everybody else."""

_checking = threading.BoundedSemaphore(_CHECKS)


@dataclass(frozen=True, slots=True)
class PasswordHash:
    """As text it is `scrypt.LOG2_N.R.P.SALT.HASH`, the last two in URL-safe base64. There is no `$` in it, which shells
    and files of variables would replace."""

    log_n: int
    r: int
    p: int
    salt: bytes
    digest: bytes

    @classmethod
    def of(cls, password: str) -> PasswordHash:
        """A hash with a fresh salt."""
        salt = secrets.token_bytes(16)
        return cls(_LOG_N, _R, _P, salt, _scrypt(password, salt, log_n=_LOG_N, r=_R, p=_P))

    @classmethod
    def parse(cls, text: str) -> PasswordHash:
        """Raises ConfigurationError. The message does not quote the text."""
        try:
            kind, log_n, r, p, salt, digest = text.strip().split(".")
            parsed = cls(int(log_n), int(r), int(p), _decoded(salt), _decoded(digest))
        except (ValueError, binascii.Error):
            kind, parsed = "", None
        if kind != _KIND or parsed is None or not parsed._is_bounded:
            raise ConfigurationError(
                "The setting `password_hash` is no hash that ragbase has made. Make one with `ragbase password`, and "
                "set all of the line that it prints."
            )
        return parsed

    def __str__(self) -> str:
        return ".".join((_KIND, str(self.log_n), str(self.r), str(self.p), _encoded(self.salt), _encoded(self.digest)))

    def matches(self, password: str) -> bool:
        """Whether it is the hash of this password. A wrong one costs the same time and memory as the right one."""
        found = _scrypt(password, self.salt, log_n=self.log_n, r=self.r, p=self.p, length=len(self.digest))
        return hmac.compare_digest(found, self.digest)

    @property
    def _is_bounded(self) -> bool:
        return (
            1 <= self.log_n <= 20  # noqa: PLR2004 - far above what the memory allows
            and self.r >= 1
            and 1 <= self.p <= _MAX_ROUNDS
            and 128 * self.r << self.log_n <= _MAX_MEMORY
            and len(self.salt) >= 16  # noqa: PLR2004 - bytes, as RFC 7914 and NIST ask
            and 32 <= len(self.digest) <= 64  # noqa: PLR2004 - bytes
        )


@contextmanager
def one_check() -> Iterator[None]:
    """Entered around each check of a password. Raises TooManyRequests if this process is at too many."""
    if not _checking.acquire(blocking=False):
        raise TooManyRequests("Too many passwords are being checked at this moment. Try again in a second.", 1)
    try:
        yield
    finally:
        _checking.release()


def _scrypt(password: str, salt: bytes, *, log_n: int, r: int, p: int, length: int = 32) -> bytes:
    # The same characters can be typed as different code points (RFC 8265, section 4.2).
    typed = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(typed, salt=salt, n=1 << log_n, r=r, p=p, maxmem=2 * _MAX_MEMORY, dklen=length)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
