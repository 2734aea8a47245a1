"""YAML as people write it in front matter: its values, and where each of them stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml import Node, ScalarNode

_KEY = r"(?P<key>[^\s#'\"\[\]{},|>&*!%@`?:-](?:[^\r\n:]|:(?=\S))*?)"
_VALUE = r":[ \t]+(?P<value>(?!\{[^{])[^\s'\"\[|>&*!][^\r\n]*?)[ \t]*$"
UNQUOTED = (
    re.compile(rf"^{_KEY}{_VALUE}", re.MULTILINE),
    re.compile(rf"^[ \t]*(?:-[ \t]+)?{_KEY}{_VALUE}", re.MULTILINE),
)
"""A value that people write without quotation marks although it has a colon or begins with `@`, `%` or `{{`: of a key
at the beginning of a line, and of one inside of another."""
NULL = frozenset(("", "~", "null", "Null", "NULL"))


@dataclass(frozen=True, slots=True)
class YamlText:
    """`values` is None, and so is `root`, if the text is no YAML. All values are texts as they stand there, or None for
    YAML's null. `_added` are the places in the text that was parsed where it has a character more."""

    values: object
    root: Node | None
    _added: Sequence[int] = ()

    def place(self, parsed: int) -> int:
        """Where in the text the character stands that has the index `parsed` in PyYAML's marks."""
        return parsed - bisect_left(self._added, parsed)


@lru_cache(8)  # the values, and the places of those that are text, are asked for one after the other
def read_yaml(text: str) -> YamlText:
    import yaml

    for pattern in (None, *UNQUOTED):
        attempt, added = (text, []) if pattern is None else _quoted(text, pattern)
        try:
            # The C parser has no limit of depth, and breaks the process.
            loader = _loader()(attempt)
            root = loader.get_single_node()
            return YamlText(loader.construct_document(root) if root is not None else None, root, added)
        except (yaml.YAMLError, RecursionError, ValueError):
            continue
    return YamlText(None, None)


def _quoted(text: str, pattern: re.Pattern[str]) -> tuple[str, list[int]]:
    """The text with quotation marks around values, and where characters were added in it."""
    parts, added, end, length = list[str](), list[int](), 0, 0
    for line in pattern.finditer(text):
        start, colon = line.start("value"), line.end("key") + 1
        parts += [text[end:colon], " " * (start - colon)]  # YAML takes no tab there
        length += start - end
        added.append(length)
        quoted = "'"
        for letter in line["value"]:
            quoted += letter
            if letter == "'":
                added.append(length + len(quoted))
                quoted += letter
        added.append(length + len(quoted))
        quoted += "'"
        parts.append(quoted)
        length += len(quoted)
        end = line.end("value")
    return "".join((*parts, text[end:])), added


@cache
def _loader() -> type:
    """Dates and numbers come out as they stand in the file, but null is nothing."""
    import yaml

    class Loader(yaml.BaseLoader):
        def construct_scalar(self, node: yaml.ScalarNode) -> str | None:  # type: ignore[override]
            return None if is_null(node) else str(node.value)

    return Loader


def is_null(node: ScalarNode) -> bool:
    """Whether it is YAML's null: a word without quotation marks."""
    return node.style is None and node.value in NULL
