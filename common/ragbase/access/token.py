"""Tokens: what a caller shows instead of a password. ragbase keeps only a hash of each."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from enum import StrEnum

_ID_BYTES, _SECRET_BYTES = 8, 32


class TokenKind(StrEnum):
    """What a token begins with. Tools that look for secrets in files can recognise it."""

    KEY = "rb"
    SESSION = "rbs"


@dataclass(frozen=True, slots=True)
class Token:
    """`id` finds what the token belongs to and may be seen by everybody; `secret` proves it."""

    kind: TokenKind
    id: str
    secret: str

    @classmethod
    def new(cls, kind: TokenKind) -> Token:
        return cls(kind, secrets.token_hex(_ID_BYTES), secrets.token_hex(_SECRET_BYTES))

    @classmethod
    def parse(cls, text: str) -> Token | None:
        """None if the text is no token of ragbase."""
        found = _TOKEN.fullmatch(text)
        return cls(TokenKind(found[1]), found[2], found[3]) if found else None

    def __str__(self) -> str:
        return f"{self.kind}_{self.id}_{self.secret}"

    def __repr__(self) -> str:
        return f"Token({self.kind.value}_{self.id})"  # without the secret: this text may reach a log

    def digest(self, bound_to: str = "") -> str:
        """What is kept of the secret. It also depends on `bound_to`, so that a change of that makes the token wrong.

        The secret has 256 random bits: nobody finds it by trying, so a fast hash is as good as a slow one.
        """
        return hmac.new(bound_to.encode(), self.secret.encode(), hashlib.sha256).hexdigest()

    def proves(self, digest: str, bound_to: str = "") -> bool:
        """Whether the digest is of this token. The comparison takes the same time for every digest."""
        return hmac.compare_digest(self.digest(bound_to), digest)


_TOKEN = re.compile(rf"({'|'.join(TokenKind)})_([0-9a-f]{{{2 * _ID_BYTES}}})_([0-9a-f]{{{2 * _SECRET_BYTES}}})")
