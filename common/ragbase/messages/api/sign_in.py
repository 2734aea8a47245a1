"""What a sign-in answers."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.json_model import JsonModel


class LoginResponse(JsonModel):
    """Send `token` with each request, in the header `Authorization: Bearer TOKEN`, until `expiresAt`."""

    token: str
    expires_at: datetime

    def __repr__(self) -> str:
        """Without the token."""
        return f"LoginResponse(expires_at={self.expires_at!r})"
