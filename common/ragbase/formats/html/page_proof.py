"""Whether a file is a page, by how it begins."""

from __future__ import annotations

import re

from ragbase.formats.decode import beginning
from ragbase.formats.front_matter import MAX_LENGTH, read_front_matter
from ragbase.formats.html.declared_encoding import CHARSET_WITHIN

PAGE = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)(?=[\s>/])",
    re.IGNORECASE,
)
PART = re.compile(
    r"\s*+(?:\{[%#{][^}]*+\}?[%#}]?\}\s*+)*+(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+"
    r"<(?:!doctype\s|/?(?:html|head|body|meta|link|title|style|script|div|main|article|section|header|nav|aside|footer|form"
    r"|h[1-6]|p|ul|ol|dl|table|center|figure|blockquote|details|svg|iframe|img|a|span|br|hr"
    r"|pre|code|b|i|em|strong|small|button|label)[\s/>])",
    re.IGNORECASE,
)
"""How a part of a page begins to which a generator adds the rest: with an element, after Liquid or Jinja."""

MARKDOWN = re.compile(r"^(?:#{1,6}[ \t]+\S|```|~~~)|\[[^\]\n]+\]\((?!\))", re.MULTILINE)
"""A heading, code or a link of Markdown."""

CODE = ("pre", "code")
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def is_page(data: bytes) -> bool:
    """Whether it begins as a page does. Markdown may begin with other elements, but after front matter and without any
    of Markdown's signs they are a page, too."""
    text = beginning(data, CHARSET_WITHIN)
    if PAGE.match(text):
        return True
    if not text.startswith(("---", "+++")):
        return False
    text = beginning(data, 4 * MAX_LENGTH)
    end, _ = read_front_matter(text[:MAX_LENGTH])
    if not end:
        return False
    return PAGE.match(text, end) is not None or (PART.match(text, end) is not None and not _has_markdown(text[end:]))


def _has_markdown(source: str) -> bool:
    """In its text: code that it shows may be Markdown, or have comments that look like headings."""
    from ragbase.formats.html.tokenizer import tokens

    position = code = 0
    for token in tokens(source):
        if not code and MARKDOWN.search(source, position, token.start()):
            return True
        position = token.end()
        tag = (token["tag"] or "").lower()
        if tag in CODE:
            code += 1
        elif tag[1:] in CODE and code:
            code -= 1
    return not code and MARKDOWN.search(source, position) is not None
