"""What is answered for every error."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class ErrorBody(JsonModel):
    """`error` is a code. `message` names the input, the rule and the remedy."""

    error: str
    message: str
