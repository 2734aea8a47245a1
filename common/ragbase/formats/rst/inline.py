"""The marks inside of a paragraph of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

MARK = re.compile(
    r"``(?P<literal>(?:[^`]++|`(?!`))++)``"
    r"|:(?P<role>[A-Za-z][\w:+.-]{0,60}+)(?<=:)`(?P<of_role>[^`]++)`"
    r"|_`(?P<target>[^`]++)`"
    r"|`(?P<text>[^`]++)`(?::(?P<role_after>[A-Za-z][\w+.-]{0,60}):|(?P<reference>__?)(?!\w))?"
    r"|\|(?P<substitution>[^|\s][^|\n]{0,100})\|_{0,2}"
    r"|\\(?P<escaped>[\s\S])"
    r"|\[(?P<note>[^\]\[\s]{1,60})\]_(?!\w)"
    r"|(?<!\w)(?P<name>[A-Za-z0-9](?:[A-Za-z0-9.+:-]|_(?=[A-Za-z0-9])){0,80}+)__?(?![\w`])"
)
"""Each kind ends at the next mark of its kind, so that every character is read a few times at most."""
CODE_ROLES = frozenset(
    ("attr", "class", "cmd", "code", "command", "const", "data", "dir", "envvar", "exc", "exe", "file", "func",
    "function", "keyword", "literal", "macro", "makevar", "member", "meth", "method", "mimetype", "mod", "module",
    "newsgroup", "obj", "opt", "option", "program", "py", "regexp", "samp", "setting", "struct", "src", "token",
    "type", "var", "union", "enum", "enumerator", "expr", "texpr", "concept", "any", "namespace", "directive",
    "role", "confval", "rst", "prop", "property")
)  # fmt: skip
"""What Sphinx shows in the letters of code. All other roles show their text."""
PREFIXES = {"pep": "PEP ", "rfc": "RFC "}
MAX_REPEATED = 1_000
"""Characters of a substitution that may stand in many places. A longer one stands where it is used first."""

NUMBER = re.compile(r"[-+−]?[\d.,]+")
WEB = ("http://", "https://", "ftp://", "mailto:")


@dataclass(slots=True)
class Names:
    """What a document defines for its references, by names in lower case."""

    urls: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    anonymous: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    """Those of `texts` that stand somewhere."""


def normal(name: str) -> str:
    return " ".join(name.lower().split())


def to_markdown(text: str, names: Names) -> str:
    """A paragraph, which may have several lines."""
    if not any(mark in text for mark in "`|\\_"):
        return text
    return MARK.sub(lambda mark: _shown(mark, names), text)


def _shown(mark: re.Match[str], names: Names) -> str:
    kind = mark.lastgroup or ""
    return SHOWN[kind](mark, names) if kind in SHOWN else mark[0]


def _substitution(mark: re.Match[str], names: Names) -> str:
    name = normal(mark["substitution"])
    text = names.texts.get(name, mark[0])
    is_shown = len(text) <= MAX_REPEATED or name not in names.used
    names.used.add(name)
    return text if is_shown else mark[0]


def _name(mark: re.Match[str], names: Names) -> str:
    """A word with an underscore behind it, which is a reference only if something has this name."""
    name = normal(mark["name"])
    if name in names.urls:
        return f"[{mark['name']}]"
    if mark[0].endswith("__") and names.anonymous:
        return f"[{mark['name']}]({names.anonymous.pop(0)})"
    return mark["name"] if name in names.places else mark[0]


SHOWN: dict[str, Callable[[re.Match[str], Names], str]] = {
    "literal": lambda mark, names: code(mark["literal"]),
    "of_role": lambda mark, names: _role(mark["role"].rstrip(":"), mark["of_role"]),
    "role_after": lambda mark, names: _role(mark["role_after"], mark["text"]),
    "reference": lambda mark, names: _reference(mark["text"], mark["reference"], names),
    "target": lambda mark, names: mark["target"],
    "escaped": lambda mark, names: "" if mark["escaped"].isspace() else mark[0],
    "substitution": _substitution,
    "note": lambda mark, names: f"[{mark['note']}]",
    "name": _name,
}
"""How a mark is shown, by the last group of the pattern that it has. Text in single backticks stays as it is."""


def code(text: str) -> str:
    """In the letters of code."""
    text = " ".join(text.split("\n")) if "\n" in text else text
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _role(role: str, text: str) -> str:
    name = role.rpartition(":")[2].lower()
    label, target = _label(text)
    if target.startswith(WEB):
        return f"[{label}]({target})"
    label = label.removeprefix("~").removeprefix("!")
    if name == "math":
        return f"${label}$"
    if name in ("sup", "superscript"):
        return f"^{label}" if NUMBER.fullmatch(label) else label
    if name in ("sub", "subscript"):
        return label
    return code(label) if name in CODE_ROLES else PREFIXES.get(name, "") + label


def _label(text: str) -> tuple[str, str]:
    """What is shown, and where it leads to: `text <target>`."""
    if text.endswith(">") and not text.endswith("\\>"):
        start = text.rfind("<")
        if start > 0 and text[:start].strip() and text[start - 1].isspace():
            return text[:start].rstrip(), text[start + 1 : -1].strip()
    return text, ""


def _reference(text: str, kind: str, names: Names) -> str:
    label, target = _label(text)
    if target:
        joined = "".join(target.split())
        return f"[{label}]({joined})" if not target.endswith("_") else label
    if not text.startswith("<") and normal(text) in names.urls:
        return f"[{text}]"
    if kind == "__" and names.anonymous:
        return f"[{text}]({names.anonymous.pop(0)})"
    return text.strip("<>") if text.startswith("<") else text


TARGET = re.compile(r"\s*\.\. _(?P<name>`[^`]{1,200}`|(?:[^:\\\n]|\\.|:(?! |$)){1,200}+):(?: +(?P<url>.*))?$")
ANONYMOUS = re.compile(r"\s*(?:\.\. __:|__) +(?P<url>\S.*)$")
SUBSTITUTION = re.compile(
    r"\s*\.\. \|(?P<name>[^|\s][^|]{0,100})\| +(?P<kind>replace|unicode|image|date)::(?: +(?P<text>.*))?$"
)


def find_names(lines: Iterable[str]) -> Names:
    """What the document defines, wherever that stands."""
    names = Names()
    for line in lines:
        if ".. " not in line and "__ " not in line:
            continue
        if (found := ANONYMOUS.match(line)) is not None:
            names.anonymous.append(found["url"])
        elif (found := TARGET.match(line)) is not None:
            name, url = normal(found["name"].strip("`").replace("\\", "")), found["url"] or ""
            if url and not url.endswith("_"):
                names.urls[name] = url
            else:
                names.places.add(name)
        elif (found := SUBSTITUTION.match(line)) is not None and found["text"] and found["kind"] == "replace":
            names.texts.setdefault(normal(found["name"]), found["text"])
    return names
