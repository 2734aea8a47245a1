"""A text that is data for a language model, without what could pass for something else."""

from __future__ import annotations

import re

_UNSEEN = re.compile("[\u200b\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
"""Blanks without width, changes of the direction, and the tags and variants of Unicode."""
_TURN = re.compile(
    r"<(?=\|)|<(?=/?(?:s|bos|eos|system|assistant|user|start_of_turn|end_of_turn|think)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)


def harmless(text: str) -> str:
    """The text as people see it, with a blank in each word with which a server may begin a turn."""
    return _TURN.sub(lambda found: f"{found[0]} ", visible(text))


def visible(text: str) -> str:
    """The text without signs that nobody sees, and without halves of characters, which UTF-8 does not have."""
    return _UNSEEN.sub("", text).encode(errors="replace").decode()
