"""The objects that terraform/ passes to its modules, compared with what these declare. Terraform drops an unknown
attribute of an object without a word, also where somebody writes it into an environment's main.tf.

It reads the form that `terraform fmt` writes: a block begins at the start of a line, and ends with a line `}`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

ANY = "*"
"""Stands for a key that is chosen by who calls the module, such as that of a map."""

Keys = tuple[str, ...]

_MODULE = re.compile(r'^module "\w+" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
_VARIABLE = re.compile(r'^variable "(\w+)" \{\n(.*?)^\}', re.MULTILINE | re.DOTALL)
_LOCALS = re.compile(r"^locals \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_ARGUMENT = re.compile(r"^  (\w+) += (.*?)(?=^  \w|\Z)", re.MULTILINE | re.DOTALL)
_IS_SET = r"(?= *=(?![=>]))"
_TOKEN = re.compile(
    rf'"(?:\$\{{[^}}]*\}}|\\.|[^"\\])*"{_IS_SET}|\){_IS_SET}'  # a key that is no name
    r'|"(?:\$\{[^}]*\}|\\.|[^"\\])*"|\#[^\n]*'  # a text or a comment
    rf"|map\(|\{{ *for\b|[{{}}]|[A-Za-z_][\w-]*{_IS_SET}"
)


def unknown_arguments(folder: Path) -> Iterator[str]:
    """A line for each key that a call passes and its module does not declare."""
    for file in sorted(folder.rglob("*.tf")):
        for body in _MODULE.findall(file.read_text(encoding="utf-8")):
            arguments = dict(_ARGUMENT.findall(body))
            types = _types(file.parent / arguments["source"].strip().strip('"'))
            for name in sorted(arguments.keys() & types.keys()):
                passed = _passed(name, arguments[name], file.parent)
                yield from _unknown(f"{file.relative_to(folder)}: {name}", passed, types[name])


def _passed(name: str, value: str, folder: Path) -> Set[Keys]:
    """The keys of a value, of the variable that it is, or of the local value of the same name that it begins with."""
    if variable := re.fullmatch(r"var\.(\w+)", value.strip()):
        return _types(folder).get(variable[1], set())
    return keys(value + _locals(folder).get(name, "") if f"local.{name}" in value else value)


def keys(expression: str) -> Set[Keys]:
    """The path of each key in the objects of a value or of a type. Calls and conditions around them do not count."""
    found: set[Keys] = set()
    inside: list[Keys] = [()]  # the paths of the objects that are open
    at: list[Keys] = [()]  # the last key in each of them
    for token in _TOKEN.findall(expression):
        if token == "map(":
            at[-1] = (*at[-1], ANY)
            found.add(at[-1])
        elif token[0] == "{":
            inside.append(at[-1])
            at.append((*at[-1], ANY) if token.endswith("for") else at[-1])
        elif token == "}":
            inside.pop()
            at.pop()
        elif token[0] in '")':
            at[-1] = (*inside[-1], ANY)
        elif token[0] != "#":
            at[-1] = (*inside[-1], token)
            found.add(at[-1])
    return found


def _locals(folder: Path) -> Mapping[str, str]:
    """The values that are declared in the folder, by name."""
    blocks = [found for file in sorted(folder.glob("*.tf")) for found in _LOCALS.findall(file.read_text("utf-8"))]
    return {name: value for block in blocks for name, value in _ARGUMENT.findall(block)}


def _types(module: Path) -> Mapping[str, Set[Keys]]:
    """The keys of each variable of a module that has some."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(module.glob("*.tf"))]
    variables = [found for text in texts for found in _VARIABLE.findall(text)]
    declared = {name: keys(dict(_ARGUMENT.findall(body)).get("type", "")) for name, body in variables}
    return {name: found for name, found in declared.items() if found}


def _unknown(place: str, given: Set[Keys], declared: Set[Keys]) -> Iterator[str]:
    for path in sorted(given):
        allowed = sorted({one[len(path) - 1] for one in declared if _begins(one, path[:-1]) and len(one) >= len(path)})
        if path[-1] != ANY and ANY not in allowed and path[-1] not in allowed:
            nearest = difflib.get_close_matches(path[-1], allowed, n=1)
            yield (
                f"terraform/{'.'.join((place, *path[:-1]))} has no {path[-1]}. It can have {', '.join(allowed)}."
                f"{f' Did you mean {nearest[0]}?' if nearest else ''}"
            )


def _begins(declared: Keys, path: Keys) -> bool:
    return all(ANY in pair or pair[0] == pair[1] for pair in zip(declared, path, strict=False))
