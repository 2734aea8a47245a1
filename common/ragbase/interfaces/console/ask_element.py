"""<ragbase-ask>: the script with which a page of another site asks this server."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256, sha384
from pathlib import Path

FOLDER = Path(__file__).parent / "embed"
SCRIPT, STYLE, STRINGS = FOLDER / "ragbase-ask.js", FOLDER / "ragbase-ask.css", FOLDER / "strings"


@dataclass(frozen=True, slots=True)
class AskElement:
    """`version` changes with every byte of the script. `integrity` is what a page writes beside its address, so that a
    browser runs no other script (https://www.w3.org/TR/sri/)."""

    script: bytes
    version: str
    integrity: str


@cache
def ask_element() -> AskElement:
    """One module, with its words and styles in it: it imports nothing."""
    words = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(STRINGS.glob("*.json"))}
    script = SCRIPT.read_text(encoding="utf-8")
    for place, value in (("__WORDS__", words), ("__STYLE__", STYLE.read_text(encoding="utf-8"))):
        script = script.replace(place, json.dumps(value, ensure_ascii=False))
    body = script.encode()
    integrity = f"sha384-{base64.b64encode(sha384(body).digest()).decode()}"
    return AskElement(body, sha256(body).hexdigest()[:16], integrity)
