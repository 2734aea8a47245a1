"""The bodies of /api/auth/login (docs/contracts/documents.md, section 8)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr

from ragbase.access.password import MAX_PASSWORD
from ragbase.messages.json_model import RequestModel


class LoginRequest(RequestModel):
    password: Annotated[SecretStr, Field(min_length=1, max_length=MAX_PASSWORD)] = Field(
        description=f"the password, a text of 1 to {MAX_PASSWORD} characters"
    )
