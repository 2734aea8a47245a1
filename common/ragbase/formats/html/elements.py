"""The elements of a page that its reading asks for, found in one way through it: each way costs a fiftieth of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from selectolax.lexbor import LexborNode

TAGS = ("style", "template", "table", "sup", "math", "svg", "time", "article", "main", "h1", "summary")
MARKED = (
    ".markdown", "[role=main]", "[role=tablist]", ".tabbed-labels", ".vp-code-group > .tabs",
    '[class*="highlight-"] pre', '[class*="language-"] pre', "pre .linenos", "pre .lineno",
    "[hidden]", "[aria-hidden=true i]", "font[color]",
    '[style]:is([style*="none" i], [style*="hidden" i], [style*="opacity" i], [style*="font-size" i], '
    '[style*="indent" i], [style*=":-" i], [style*=": -" i], [style*="translate" i], [style*="scale" i], '
    '[style*="clip" i], [style*="overflow" i], '
    '[style*="color" i])',
)  # fmt: skip
"""Main content, names of tabs, code, and what may be hidden."""


def named(attribute: str, parts: Sequence[str]) -> str:
    """Selects elements that have one of these in their id or class."""
    return f"[{attribute}]:is({', '.join(f'[{attribute}*={part} i]' for part in parts)})"


SELECTOR = ", ".join((*TAGS, *MARKED))


class Elements:
    """In the order of the page, each once. What was taken out of the page since is not there any more."""

    def __init__(self, body: LexborNode) -> None:
        self._body = body.mem_id
        self.all = list({node.mem_id: node for node in body.css(SELECTOR)}.values())
        self._by_tag: dict[str, list[LexborNode]] = {}
        for node in self.all:
            self._by_tag.setdefault(node.tag or "", []).append(node)

    def of(self, *tags: str) -> list[LexborNode]:
        return [node for tag in tags for node in self._by_tag.get(tag, ()) if self._is_there(node)]

    def has_tabs(self) -> bool:
        return any(
            attributes.get("role") == "tablist" or "tab" in (attributes.get("class") or "")
            for attributes in (node.attributes for node in self.all if node.tag in ("div", "ul", "ol", "nav"))
        )

    def main_parts(self) -> Iterator[tuple[str, LexborNode]]:
        """Elements with a name for content: `article`, `markdown` or `main`."""
        for node in self.all:
            if node.tag in ("article", "main"):
                kind = node.tag
            else:
                attributes = node.attributes
                if attributes.get("role") == "main":
                    kind = "main"
                elif "markdown" in (attributes.get("class") or "").split():
                    kind = "markdown"
                else:
                    continue
            if self._is_there(node):
                yield kind, node

    def _is_there(self, node: LexborNode) -> bool:
        parent = node.parent
        while parent is not None:
            if parent.mem_id == self._body:
                return True
            parent = parent.parent
        return False
