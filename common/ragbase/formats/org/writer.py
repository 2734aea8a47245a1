"""Write the lines of Org as Markdown. Text without marks of Org stays as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.markdown_text import MarkdownText

HEADING = re.compile(r"(?P<stars>\*+)[ \t]+(?P<title>\S.*)")
BLOCK = re.compile(r"[ \t]*#\+begin_(?P<kind>\w{1,40})(?:[ \t]+(?P<arguments>.*))?", re.IGNORECASE)
END = re.compile(r"[ \t]*#\+end_(?P<kind>\w{1,40})[ \t]*", re.IGNORECASE)
KEYWORD = re.compile(r"[ \t]*#\+(?P<key>\w[\w-]{0,60}+)(?:\[[^\]]{0,100}\])?:[ \t]*(?P<value>.*)")
DRAWER = re.compile(r"[ \t]*:(?P<name>[\w-]{1,60}):[ \t]*")
FIXED = re.compile(r"[ \t]*:(?: (?P<text>.*))?")
ROW = re.compile(r"[ \t]*\|(?P<row>.*)")
RULE = re.compile(r"[ \t]*\|-[-+|: \t]*")
ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-+]|\*(?<!^\*)|\d{1,9}[.)])[ \t]+(?:\[@\d+\][ \t]*)?(?P<text>\S.*)")
TERM = re.compile(r"(?P<term>\S.{0,300}?)[ \t]+::(?:[ \t]+(?P<text>.*))?")
INLINE = re.compile(
    r"\[\[(?P<url>[^\[\]]{1,2000}+)\](?:\[(?P<label>[^\[\]]{1,1000}+)\])?\]"
    r"|(?<![\w=])=(?P<verbatim>[^\s=](?:[^=\n]{0,300}[^\s=])?)=(?![\w=])"
    r"|(?<![\w~])~(?P<code>[^\s~](?:[^~\n]{0,300}[^\s~])?)~(?![\w~])"
    r"|(?<![\w*])\*(?P<bold>[^\s*](?:[^*\n]{0,300}[^\s*])?)\*(?![\w*])"
    r"|(?<![\w/:<])/(?P<italic>[^\s/](?:[^/\n]{0,300}[^\s/])?)/(?![\w/])"
    r"|(?<=\w)_\{(?P<sub>[^{}\n]{1,60}+)\}|(?<=\w)\^\{(?P<sup>[^{}\n]{1,60}+)\}"
    r"|\\\\(?P<break>)$"
)
VERBATIM = frozenset(("src", "example", "export", "verbatim"))
SAID = frozenset(("title", "subtitle", "author", "caption", "description", "results"))
"""Keywords whose values a reader sees."""


class OrgWriter:
    def __init__(self, out: MarkdownText) -> None:
        self.out = out
        self._said: dict[str, str] = {}

    @property
    def metadata(self) -> DocumentMetadata:
        tags = (*self._said.get("filetags", "").split(":"), *self._said.get("keywords", "").split(","))
        return DocumentMetadata.of(title=self._said.get("title"), tags=tags, date=self._said.get("date"))

    def write(self, lines: Sequence[str]) -> None:
        at = 0
        while at < len(lines):
            at = self._block(lines, at)

    def _block(self, lines: Sequence[str], at: int) -> int:
        """The line after the block that begins at `at`."""
        line = lines[at].rstrip()
        if not line:
            self.out.blank()
        elif heading := HEADING.fullmatch(line):
            self.out.heading(len(heading["stars"]) + ("title" in self._said), inline(heading["title"]))
        elif block := BLOCK.fullmatch(line):
            return self._delimited(lines, at, block)
        elif END.fullmatch(line):
            pass
        elif keyword := KEYWORD.fullmatch(line):
            self._keyword(keyword["key"].lower(), keyword["value"])
        elif ROW.fullmatch(line):
            return self._table(lines, at)
        elif (drawer := DRAWER.fullmatch(line)) and drawer["name"].lower() != "end":
            return self._drawer(lines, at)
        elif FIXED.fullmatch(line):
            return self._fixed(lines, at)
        elif line.lstrip().startswith("# ") or line.strip() == "#":
            self.out.leave_out("comments", line.lstrip()[1:])
        elif item := ITEM.fullmatch(line):
            self._item(item)
        elif line.strip("-") == "" and len(line) > 4:  # noqa: PLR2004 - five dashes are a rule
            self.out.blank()
        else:
            indent = len(line) - len(line.lstrip())
            self.out.prose(" " * indent + inline(line.lstrip()))
        return at + 1

    def _delimited(self, lines: Sequence[str], at: int, block: re.Match[str]) -> int:
        """Lines up to the end of the block: as they are, as text, or, of a comment, left out."""
        kind, arguments = block["kind"].lower(), (block["arguments"] or "").strip()
        if kind not in VERBATIM and kind != "comment":
            self.out.blank()
            return at + 1
        end = at + 1
        while end < len(lines) and not ((found := END.fullmatch(lines[end])) and found["kind"].lower() == kind):
            end += 1
        body = [line.expandtabs(8).rstrip() for line in lines[at + 1 : end]]
        if kind == "comment":
            self.out.leave_out("comments", "\n".join(body))
            return end + 1
        width = min((len(line) - len(line.lstrip()) for line in body if line), default=0)
        language = arguments.split(" ")[0] if kind in ("src", "export") and not arguments.startswith(("-", ":")) else ""
        self.out.code([line[width:] for line in body], language)
        return end + 1

    def _keyword(self, key: str, value: str) -> None:
        if not value:
            return
        self._said.setdefault(key, value)
        if key == "title":
            self.out.heading(1, inline(value))
        elif key == "include":
            self.out.line(f"*include: {value}*")
        elif key in SAID:
            self.out.prose(inline(value))
        else:
            self.out.leave_out("settings of the document", f"{key}: {value}")

    def _drawer(self, lines: Sequence[str], at: int) -> int:
        """The properties of an entry, or its log. A line that only looks like a drawer has no end."""
        end = at + 1
        while end < len(lines) and not HEADING.fullmatch(lines[end]) and not DRAWER.fullmatch(lines[end]):
            end += 1
        if end == len(lines) or lines[end].strip().lower() != ":end:":
            self.out.prose(lines[at].strip())
            return at + 1
        self.out.leave_out("properties of entries", "\n".join(lines[at + 1 : end]))
        return end + 1

    def _fixed(self, lines: Sequence[str], at: int) -> int:
        body = []
        while at < len(lines) and (found := FIXED.fullmatch(lines[at].rstrip())):
            body.append(found["text"] or "")
            at += 1
        self.out.code(body)
        return at

    def _table(self, lines: Sequence[str], at: int) -> int:
        rows: list[list[str]] = []
        has_header = False
        while at < len(lines) and (found := ROW.fullmatch(lines[at].rstrip())):
            if RULE.fullmatch(lines[at].rstrip()):
                has_header = has_header or len(rows) == 1
            else:
                rows.append([inline(cell.strip()) for cell in found["row"].removesuffix("|").split("|")])
            at += 1
        self.out.table(rows, has_header=has_header)
        return at

    def _item(self, item: re.Match[str]) -> None:
        """An item stays where it is indented to: the lines below it are."""
        term = TERM.fullmatch(item["text"])
        text = f"{term['term']}: {term['text'] or ''}".rstrip() if term else item["text"]
        mark = item["mark"] if item["mark"][0].isdigit() else "-"
        self.out.line(f"{item['indent'].expandtabs(8)}{mark} {inline(text)}")


def inline(text: str) -> str:
    """The marks inside of a line."""
    if not any(mark in text for mark in "[=~*/_^\\"):
        return text
    return INLINE.sub(_shown, text)


def _shown(mark: re.Match[str]) -> str:
    if mark["url"] is not None:
        url = mark["url"]
        return f"[{mark['label']}]({url})" if mark["label"] else url
    if mark["verbatim"] is not None or mark["code"] is not None:
        code = mark["verbatim"] or mark["code"]
        return f"`` {code} ``" if "`" in code else f"`{code}`"
    if mark["bold"] is not None:
        return f"**{mark['bold']}**"
    if mark["italic"] is not None:
        return f"*{mark['italic']}*"
    if mark["sup"] is not None:
        return f"^{mark['sup']}"
    return mark["sub"] or ""
