"""Which elements the style sheets of a page hide."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDING = re.compile(
    r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden"
    r"|opacity\s*:\s*(?:0*\.0+|0+)%?\s*(?:[;!]|$)|font-size\s*:\s*(?:0*\.?\d|1)(?:\.0+)?(?:px|pt)?\s*(?:[;!]|$)"
    r"|font-size\s*:\s*0(?:\.0+)?(?:r?em|%|px|pt|vw)?\s*(?:[;!]|$)"
    r"|text-indent\s*:\s*-\d{3,}|(?:left|right|top|bottom|margin-left|margin-top)\s*:\s*-\d{4,}"
    r"|color\s*:\s*transparent|clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|transform\s*:\s*(?:translate[XY]?\(\s*-\d{4,}|scale\(\s*0\s*\)))",
    re.IGNORECASE,
)
"""Declarations that show nothing, or so far away or so small that nobody sees it."""

CUT = re.compile(r"overflow\s*:\s*(?:hidden|clip)", re.IGNORECASE)
FLAT = re.compile(r"(?:^|[;{\s])(?:max-)?(height|width)\s*:\s*0(?:px|em|rem|%)?\s*(?:[;!]|$)", re.IGNORECASE)
"""Both together: a box without a height whose text is cut off."""

MOVING = re.compile(
    r"(?:transition|animation|will-change)[\w-]{0,40}+\s*:|transform\s*:\s*(?!scale\(\s*0\s*\))", re.IGNORECASE
)
"""What fades in is shown."""

FADES = re.compile(r"(?:opacity|visibility)\s*:", re.IGNORECASE)
SHOWING = re.compile(
    r"(?:^|[;{\s])(?:(display)\s*:\s*(?!none)|(visibility)\s*:\s*visible|(opacity)\s*:\s*(?:1|0?\.[1-9])"
    r"|(?:max-)?(height|width)\s*:\s*(?!0)|(color)\s*:\s*(?!transparent)|(clip(?:-path)?)\s*:\s*(?:auto|none)"
    r"|(left|right|top|bottom|margin-left|margin-top|text-indent)\s*:\s*(?!-)|(font-size)\s*:\s*(?!0)"
    r"|(transform)\s*:\s*(?!translate[XY]?\(\s*-|scale\(\s*0))",
    re.IGNORECASE,
)
COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
BRACE = re.compile(r"([{}])")
SIMPLE = re.compile(r"(?:[a-z][\w-]*|\*)?(?:[.#][a-z_-][\w-]*)*", re.IGNORECASE)
"""An element by its name, class and id. Others depend on what a user does, or on where they stand."""

NAME = re.compile(r"[.#][a-z_-][\w-]*", re.IGNORECASE)
NEVER_HIDDEN = frozenset(("", "*", "html", "body", "main", "article", "p", "div", "span"))
READ_ALOUD = re.compile(r"sr-only|visually-?hidden|screen-reader|visuallyhidden|assistive|a11y", re.IGNORECASE)
"""Text for people who hear a page."""


def hides(declarations: str) -> bool:
    """Whether they hide what they are for."""
    return bool(hiding_property(declarations))


def hiding_property(declarations: str) -> str:
    """The property that hides what the declarations are for; empty if none does."""
    found = HIDING.search(declarations)
    if found is not None:
        if FADES.search(found[0]) and MOVING.search(declarations):
            return ""
        return found[0].partition(":")[0].strip(" \t\r\n\f;{").lower()
    flat = FLAT.search(declarations) if CUT.search(declarations) else None
    return flat[1].lower() if flat is not None else ""


def hiding_selectors(sheets: Iterable[str]) -> list[str]:
    """Selectors of elements that are never shown: no other rule shows them, when somebody clicks or on a small
    screen."""
    hiding: dict[str, str] = {}
    shown: dict[str, set[str]] = {}
    for sheet in sheets:
        if not HIDING.search(sheet) and not FLAT.search(sheet):
            continue
        for selectors, declarations, always in _rules(COMMENT.sub(" ", sheet)):
            hidden_by = hiding_property(declarations)
            if hidden_by and always:
                hiding.update((selector.strip(), hidden_by) for selector in selectors.split(","))
            if not hidden_by:
                for showing in SHOWING.finditer(declarations):
                    shown.setdefault(showing[showing.lastindex or 0].lower(), set()).update(NAME.findall(selectors))
    return [
        selector
        for selector, hidden_by in hiding.items()
        if SIMPLE.fullmatch(selector)
        and selector.lower() not in NEVER_HIDDEN
        and not READ_ALOUD.search(selector)
        and shown.get(hidden_by, set()).isdisjoint(NAME.findall(selector))
    ]


def _rules(sheet: str) -> Iterable[tuple[str, str, bool]]:
    """Selectors, declarations, and whether they hold everywhere: not in print or on a small screen only."""
    around: list[tuple[str, bool]] = []  # of the rules around, what is written, and whether all up to there always hold
    parts = BRACE.split(sheet)
    for text, brace in zip(parts[::2], parts[1::2], strict=False):  # the last text has no brace
        if brace == "{":
            rule = text.rpartition(";")[2].strip()
            holds = not around or around[-1][1]
            around.append((rule, holds and (rule in ("@media screen", "@media all") or rule.startswith("@layer"))))
        elif around:
            selectors, _ = around.pop()
            if not selectors.startswith("@"):
                yield selectors, text, not around or around[-1][1]
