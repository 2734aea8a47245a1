"""The reference page of the messages: what the code says when something is refused or fails."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
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


@cache
def messages() -> dict[str, dict[str, set[str]]]:
    """The messages of each code or type, and the files that say them."""
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(PACKAGE.rglob("*.py"))}
    types = _faults(trees.values())
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file, tree in trees.items():
        for node in ast.walk(tree):
            for name, text in _said(node, types):
                if len(text.split()) >= LEAST:
                    found[name][text].add(file.relative_to(PACKAGE).as_posix())
    return {name: dict(texts) for name, texts in found.items()}


def _faults(trees: Iterable[ast.Module]) -> Set[str]:
    """The types of domain/errors.py, the others, and all that inherit from one of them."""
    known = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, RagbaseError)}
    bases = {
        node.name: {_name(base) for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    known |= OTHERS
    while below := {name for name, above in bases.items() if above & known} - known:
        known |= below
    return known


def _said(node: ast.AST, types: Set[str]) -> Iterator[tuple[str, str]]:
    """A call of such a type, or a code with its message in a table."""
    match node:
        case ast.Call(func=function, args=arguments) if _name(function) in types:
            name = _name(function)
        case ast.Tuple(elts=[ast.Attribute(value=ast.Name(id="ErrorCode")), _] as arguments):
            name = ""
        case _:
            return
    code = next(filter(None, map(_code, arguments)), name)
    if texts := [text for text in map(text_of, arguments) if text != code]:
        yield code, max(texts, key=len)


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
