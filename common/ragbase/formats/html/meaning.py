"""What the look of a page says, and a converter does not see: said in elements that it does see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.formats.html.removed import FORMULAS, NUMBERS, Removed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ragbase.formats.html.elements import Elements

CODE = '[class*="highlight-"] pre, [class*="language-"] pre'
CODE_LANGUAGE = re.compile(r"(?:^|\s)(?:highlight-(?:source-)?|language-)(?!default\b|none\b|notranslate\b)([\w+#-]+)")
"""Sphinx, GitHub and VitePress name the language of code in an element around it."""

AROUND_CODE = 50
"""Elements around code in which its language is looked for, innermost first."""

NUMBERED_CODE = "table.highlighttable, table.rouge-table"
"""Code beside a column of line numbers, as Pygments and Rouge write it."""
LINE_NUMBERS = "pre .linenos, pre .lineno"

NEAR = 4
HEADINGS = "h1, h2, h3, h4, h5, h6"
POWER = re.compile(r"[-+\u2212]?(?:\d+|[a-zA-Z])")
"""Not the end of `1st`. Without its sign, ten to the sixth is one hundred and six."""

TABS = (
    ("[role=tablist]", "[role=tab]", "[role=tabpanel]"),
    (".tabbed-labels", "label", ".tabbed-block"),
    (".vp-code-group > .tabs", "label", ".blocks > *"),
)
"""The list of names, a name, and what is shown under one: ARIA (so Docusaurus), Material for MkDocs, VitePress."""


def keep_meaning(page: LexborHTMLParser, body: LexborNode, elements: Elements, removed: Removed) -> None:
    """Before anything is removed: a name of a tab may be a button."""
    if elements.of("pre", "table"):
        _free_code_of_line_numbers(body, removed)
        _name_languages(body)
    for tabs in TABS if elements.has_tabs() else ():
        _name_tabs(page, body, *tabs)
    for power in elements.of("sup"):
        if POWER.fullmatch(power.text().strip()):
            power.insert_before("^")
    for formula in elements.of("math"):
        _write_formula(formula, removed)
    for summary in elements.of("summary"):
        if summary.css_first(HEADINGS) is not None:
            summary.unwrap()  # a heading stays one


def _name_languages(body: LexborNode) -> None:
    for pre in body.css(CODE):
        around = (parent.attributes.get("class") or "" for parent in (pre, *islice(parents(pre), AROUND_CODE)))
        language = next((found[1] for names in around if (found := CODE_LANGUAGE.search(names))), None)
        if language and pre.css_first("code[class]") is None:
            pre.attrs["class"] = f"language-{language}"


def _write_formula(formula: LexborNode, removed: Removed) -> None:
    tex = formula.css_first('annotation[encoding*="tex" i]')
    if tex is not None:
        formula.insert_before(f"${tex.text().strip()}$")
        for annotation in formula.css("annotation"):
            annotation.decompose()
        removed.take(formula, FORMULAS)


def parents(node: LexborNode) -> Iterator[LexborNode]:
    """Those that the node is in, innermost first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def near(node: LexborNode) -> list[LexborNode]:
    """The elements that it is in, and that may be there for it alone."""
    return list(islice(parents(node), NEAR))


def _name_tabs(page: LexborHTMLParser, body: LexborNode, names: str, name: str, panel: str) -> None:
    """Put each name in front of what it names: "Use Homebrew" is an answer for one system only. A list of names that
    does not fit the panels beside it stays as it is."""
    lists = {listed.parent.mem_id: listed for listed in body.css(names) if listed.parent is not None}
    panels: dict[int, list[LexborNode]] = {}
    for one in body.css(panel) if lists else ():
        around = next((parent.mem_id for parent in parents(one) if parent.mem_id in lists), None)
        if around is not None:
            panels.setdefault(around, []).append(one)
    for around, shown in panels.items():
        labels = [label.text().strip() for label in lists[around].css(name)]
        if len(labels) != len(shown):
            continue
        for label, one in zip(labels, shown, strict=True):
            line, strong = page.create_node("p"), page.create_node("strong")
            strong.insert_child(label)
            line.insert_child(strong)
            one.insert_before(line)
        lists[around].decompose()


def _free_code_of_line_numbers(body: LexborNode, removed: Removed) -> None:
    for table in body.css(NUMBERED_CODE):
        code = table.css_first("td.code pre") or table.css_first("td.rouge-code pre")
        if code is None:
            continue
        title = table.css_first("th.filename")
        if title is not None:
            table.insert_before(title.text().strip())
            title.decompose()
        table.insert_before(code, move=True)
        removed.take(table, NUMBERS)
    for number in body.css(LINE_NUMBERS):
        removed.take(number, NUMBERS)
