"""The reference page of the messages: what the code says when something is refused or fails."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ragbase.domain import errors
from ragbase.domain.errors import ErrorCode, RagbaseError
from scripts.site.table import table

PACKAGE = Path(__file__).resolve().parents[2] / "common" / "ragbase"
OTHERS = {"BadParameter", "ClickException", "Refused", "UsageError", "ValueError"}
"""Types that carry a message for a user and are not those of domain/errors.py or below them."""
LEAST = 4
"""Words of a message. What is shorter is a code, or the name of something."""
_FILLED_IN_LATER = re.compile(r"\{[\w.]+(?::[^{}]*)?\}")


def messages_page() -> str:
    by_name = messages()
    parts: list[str] = []
    for name in [*ErrorCode, *sorted(set(by_name) - set(ErrorCode))]:
        rows = [(text, f"`{', '.join(sorted(files))}`") for text, files in sorted(by_name.get(name, {}).items())]
        if rows:
            parts += [f"## {name}\n", f"{_meaning(name)}\n", table(("message", "file"), rows)]
    return "\n".join(parts)


def _meaning(name: str) -> str:
    type = getattr(errors, name, None)
    return (type.__doc__ or "").partition("\n\n")[0] if type else ""


@dataclass(slots=True)
class Said:
    """What the package says: `texts` are all texts of its code. `bases` has each type with those that it inherits from.
    `messages` has the file, the type (or none, in a table of codes), the code or else the type, and the text."""

    texts: list[str] = field(default_factory=list)
    bases: dict[str, set[str]] = field(default_factory=dict)
    messages: list[tuple[str, str, str, str]] = field(default_factory=list)


@cache
def said() -> Said:
    """Each file is parsed once, and its tree is not kept: together they are a million objects."""
    found = Said()
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.bases[node.name] = {_name(base) for base in node.bases}
            elif isinstance(node, ast.Call | ast.Tuple):
                found.messages += [(name, *message) for message in _message(node)]
            elif text := text_of(node):
                found.texts.append(text)
    return found


@cache
def messages() -> dict[str, dict[str, set[str]]]:
    """The messages of each code or type, and the files that say them."""
    types = _faults()
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file, type, name, text in said().messages:
        if (not type or type in types) and len(text.split()) >= LEAST:
            found[name][text].add(file)
    return {name: dict(texts) for name, texts in found.items()}


def _faults() -> Set[str]:
    """The types of domain/errors.py, the others, and all that inherit from one of them."""
    known = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, RagbaseError)}
    known |= OTHERS
    while below := {name for name, above in said().bases.items() if above & known} - known:
        known |= below
    return known


def _message(node: ast.Call | ast.Tuple) -> Iterator[tuple[str, str, str]]:
    """Of a call, or of a code with its message in a table: the type (or none), the code or else the type, the text."""
    match node:
        case ast.Call(func=ast.Name(id=type) | ast.Attribute(attr=type), args=arguments):
            pass
        case ast.Tuple(elts=[ast.Attribute(value=ast.Name(id="ErrorCode")), _] as arguments):
            type = ""
        case _:
            return
    code = next(filter(None, map(_code, arguments)), type)
    if texts := [text for text in map(text_of, arguments) if text != code]:
        yield type, code, max(texts, key=len)


def _name(expression: ast.expr) -> str:
    return expression.attr if isinstance(expression, ast.Attribute) else getattr(expression, "id", "")


def _code(argument: ast.expr) -> str:
    match argument:
        case ast.Attribute(value=ast.Name(id="ErrorCode"), attr=code):
            return code
        case ast.Constant(value=str(code)) if code.isupper() and code.isidentifier():
            return code
    return ""


def text_of(expression: ast.AST) -> str:
    """A text of the code, with `…` for what is filled in; empty for anything else."""
    match expression:
        case ast.Constant(value=str(text)):
            return _FILLED_IN_LATER.sub("…", text)
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part) if isinstance(part, ast.Constant) else "…" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return (text_of(left) or "…") + (text_of(right) or "…")
    return ""
