"""How the lines that begin an HTML block look (CommonMark, section 4.6), and where it ends."""

from __future__ import annotations

import re

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu"
    "|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr"
    "|track|ul"
)
RAW = r"<!--|\{/\*|<\?|<!\[CDATA\[|<![a-z]|<(?:pre|script|style|textarea)(?=[\s>])|\$\$"
"""What begins a block that ends at a mark of its own, or a formula. The second is a comment of MDX."""
BLOCK_TAG = rf"</?+(?:{_BLOCK_TAGS})(?=[\s>]|/>|\Z)"
ANY_TAG = r"</?+(?:[a-z][\w.-]*+(?::\w[\w.-]*+)?+(?:[ \t/][^<>\n]*+)?+)?+>(?=[ \t\r]*+$)"
"""What begins a block that ends at a blank line: a tag of those, or a line that is one tag of any other name. The
second cannot follow the line of a paragraph."""

_ENDS = {"<!--": "-->", "{/*": r"\*/\}", "<?": r"\?>", "<![cdata[": "]]>", "$$": r"\$\$"}
_NAME = re.compile(r"</?([\w.:-]*)")
BLANK_LINE = re.compile(r"\n[ \t\r]*+(?=\n|\Z)")


def end_of_raw(opening: str) -> str:
    """The pattern of what ends a block that begins with `opening`."""
    opening = opening.lower()
    return _ENDS.get(opening) or (">" if opening.startswith("<!") else f"</{opening[1:]}")


def is_component(tag: str) -> bool:
    """Whether the tag is one of MDX, which reads Markdown in the lines between its tags: `<Note>`, `<Tabs.Item>`,
    `<>`."""
    found = _NAME.match(tag)
    name = found[1] if found else ""
    return not name or "." in name or (name[0].isupper() and not name.isupper())
