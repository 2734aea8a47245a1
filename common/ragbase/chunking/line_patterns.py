"""How the lines look that give a text its outline: Markdown, HTML blocks in it, and underlined titles of plain text."""

from __future__ import annotations

import re
import unicodedata

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu"
    "|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr"
    "|track|ul"
)
"""Those that begin an HTML block (CommonMark, section 4.6)."""
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


FENCE = r"(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
_MARKER = r"(?:[-*+]|\d{1,9}[.)])"
_CELL = r"[ \t]*+:?+-++:?+[ \t]*+"
_KINDS = (
    rf"{FENCE}"
    r"|(?P<hashes>#{1,6})(?=[ \t\r\n]|\Z)"
    r"|(?P<underline>=++|-++)[ \t\r]*+$"
    rf"|(?P<delimiter>(?=[^\n]*\|)\|?+{_CELL}(?:\|{_CELL})*+\|?+[ \t\r]*+$)"
    r"|(?P<rule>(?:-[ \t]*+){3,}+\r?$|(?:\*[ \t]*+){3,}+\r?$|(?:_[ \t]*+){3,}+\r?$)"
    rf"|(?P<marker>{_MARKER})(?=[ \t\r\n]|\Z)"
    rf"|(?P<raw>{RAW})"
    rf"|(?P<block_tag>{BLOCK_TAG})"
    rf"|(?P<tag>{ANY_TAG})"
    r"|(?P<container>:{3,}+)(?=[ \t]*+[^\W\d_])"
)
MARK = re.compile(rf"\n(?=[ \t>]*[#`~=\-*+_|:<{{$\d])(?P<prefix>[ \t>]*+)(?:{_KINDS})", re.MULTILINE | re.IGNORECASE)
"""A line that has a meaning: it opens a fence or a list item, is a heading or a rule, underlines a heading or a table's
header. A fence may be at any depth of a list, so its indentation does not matter here, unlike in CommonMark. Each
branch reads a line once, so the scan is linear."""
MARK_IN_LIST = re.compile(rf"\n(?P<prefix>[ \t>]*+)(?:(?P<blank>\r?(?=\n))|{_KINDS})", re.MULTILINE | re.IGNORECASE)
NEXT_LINE = re.compile(r"(?:\n[ \t\r>]*+(?=\n))*+(?P<line>\n)(?P<prefix>[ \t>]*+)")

FENCE_IN_ITEM = re.compile(rf"[ \t]+{FENCE}", re.MULTILINE)
CLOSING_FENCE = re.compile(r"\n[ \t]*+(?P<fence>`{3,}|~{3,})[ \t\r]*+$", re.MULTILINE)
CLOSING_FENCE_IN_QUOTE = re.compile(r"\n(?:(?![ \t]*>)|[ \t>]*+(?P<fence>`{3,}|~{3,})[ \t\r]*+$)", re.MULTILINE)
"""The line that closes a fence, or the first line that is not in its quote."""
FRONT_MATTER = re.compile(r"\n---[ \t\r]*\n(?:[^\n\S]*+\S[^\n]*+\n)*?(?:---|\.\.\.)[ \t\r]*+$", re.MULTILINE)
HEADING_PREFIX = re.compile(r" {0,3}\Z")
_TEMPLATE = r"(?:\{[%{:<][^\n]*[%}>]\}|\{:[^\n]*\})[ \t\r]*$"
_DEFINITION = r"\[[^\[\]\n]+\]:"
PARAGRAPH_LINE = re.compile(rf" {{0,3}}(?![>#|]|:::|\$\$|{_MARKER}(?:\s|\Z)|{_TEMPLATE}|{_DEFINITION})\S", re.MULTILINE)
"""A line that an underline can make a heading: not a quote, a table row, a list item, the edge of an admonition or a
formula, a tag of a template or the definition of a link."""
CONTAINER = re.compile(r"\n[ \t>]*+(?P<colons>:{3,}+)[ \t\r]*+(?P<name>[^\s]?)")
LONGEST_CONTAINER = 20_000
LONGEST_FORMULA = 4_000
"""Characters. In an admonition and in a formula no line is a heading, so one whose end is far away is text."""
HEADER_ROW = re.compile(rf"(?P<prefix>[ \t>]*+)(?:{_MARKER}[ \t]+)*+(?P<row>\S[^\n]*)")
_OTHER = rf"(?:\r?$|#{{1,6}}(?:[ \t\r]|$)|`{{3}}|~{{3}}|{_MARKER}[ \t])"
ROW = re.compile(rf"\n(?![ \t]*+(?:>|{_OTHER}))[^\n]*+", re.MULTILINE)
QUOTED_ROW = re.compile(rf"\n[ \t]*+>(?![ \t>]*+{_OTHER})[^\n]*+", re.MULTILINE)
PIPE = re.compile(r"(?<!\\)\|")


UNDERLINED = re.compile(
    r"(?:^|\n)(?:[ \t\r]*|[=~^*#-]{3,}+[ \t\r]*)\n(?P<title>[^\s=~^-][^\n]*)\n"
    r"(?P<underline>={3,}+|-{3,}+|~{3,}+|\^{3,}+)[ \t\r]*(?=\n|\Z)"
)
"""A title of plain text: a line with a line of signs under it that is as long. It comes after a blank line, or after
another such line over the title."""
LEVELS = {"=": 1, "-": 2, "~": 3, "^": 4}
_ATTRIBUTES = re.compile(r"[\[.:|][^\n]*")
"""Lines that AsciiDoc writes above a block: `[source]`, `.Title`, `:name: value`. And the row of a table."""


def is_title(line: str, underline: str) -> bool:
    """Whether these are a title and its underline. Elsewhere, the length of a rule has nothing to do with the text."""
    title = line.rstrip()
    return _ATTRIBUTES.fullmatch(title) is None and abs(_width(title) - len(underline)) <= 1


def _width(title: str) -> int:
    """How many columns the title takes: letters of East Asia take two."""
    return sum(1 + (unicodedata.east_asian_width(letter) in "WF") for letter in title)
