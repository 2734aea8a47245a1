"""Word documents, made ready for the library that reads them: what it loses, or takes for something else, is said in
plain paragraphs before it sees the file.

Notes and comments stand below the paragraph that they belong to. Hidden and deleted text, and a second form of the same
text for old programs, are cut out. Low and high letters are letters like others: H2O is a word. The document is changed
at the places that the parser names; all else of it stays as it is.
"""

from __future__ import annotations

import io
import re
import zipfile

from ragbase.domain.left_out import LeftOut
from ragbase.formats.office.parts import Parts, feed, local, parse, parser
from ragbase.formats.office.word_text import HIDDEN, POWER, is_on, texts_of

DOCUMENT = "word/document.xml"
REFERENCES = {
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
}
"""The elements that name a note, and the kind of the part that has it."""
KEPT = (".xml", ".rels")
"""Parts that have text. Pictures and fonts have none for the library."""

DELETED = ("del", "moveFrom")
CUT = (*DELETED, "Fallback")
BLANKS = ("tab", "br", "cr")
DRAWINGS = ("drawing", "pict", "object")
PICTURES = ("blip", "imagedata")
NOT_ALONE = ("txbxContent", "chart", "relIds", "textbox", "textpath")
"""What a drawing has that is text, or has text, beside pictures."""

WANTED = frozenset((
    "body", "p", "tbl", "pPr", "pStyle", "r", "t", "delText", "rStyle", "vanish", "vertAlign", *CUT, *BLANKS,
    *REFERENCES, *DRAWINGS,
))  # fmt: skip
"""The elements that decide anything outside of drawings."""

IN_UTF8 = re.compile(
    rb"""(?!\xff\xfe|\xfe\xff|\s*<\0|\0<)(?!\s*<\?xml[^>]*encoding=["'](?!utf-?8|us-ascii))""", re.IGNORECASE
)

LARGEST = 100 * 1024 * 1024
"""Bytes of the document's part: the library takes no larger one."""
WORTH = re.compile(rb"vertAlign|vanish|Reference|:del[ >]|moveFrom|Fallback|:drawing|:pict|:object", re.IGNORECASE)


def prepared(data: bytes, parts: Parts) -> tuple[bytes, list[LeftOut]]:
    """The document as the library should see it, and what was left out of it. Raises Damaged and TooLarge."""
    main = next(iter(parts.related_of("", "officeDocument")), DOCUMENT)
    if main not in parts:
        return data, []
    hidden_styles = _hidden_styles(parts, main)
    notes: dict[str, dict[str, list[str]]] = {}
    left_out: dict[str, list[str]] = {}
    replaced: dict[str, bytes] = {}
    for kind in ("footnotes", "endnotes", "comments"):
        for name in parts.related_of(main, kind):
            found = texts_of(parts.read(name), kind[:-1], hidden_styles)
            notes.setdefault(kind, {}).update(found.paragraphs)
            left_out.setdefault(HIDDEN, []).extend(found.hidden)
            replaced[name] = found.empty
    for kind in ("header", "footer"):
        for name in parts.related_of(main, kind):
            running = texts_of(parts.read(name), None, hidden_styles)
            left_out.setdefault("headers and footers of the pages", []).extend(running.all)
    document = parts.read(main, LARGEST)
    if not IN_UTF8.match(document):  # no program writes it so, and what we put into it would be wrong
        return data, []
    if notes or hidden_styles or WORTH.search(document):
        editing = _Editing(document, notes, hidden_styles)
        replaced[main] = editing.edited()
        for what, texts in editing.left_out.items():
            left_out.setdefault(what, []).extend(texts)
    said = [
        LeftOut(what, "\n".join(texts), shown=what != HIDDEN)
        for what, texts in left_out.items()
        if any(text.strip() for text in texts)
    ]
    return (_packed(parts, replaced) if replaced else data), said


def _packed(parts: Parts, replaced: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name in parts.names:
            if name.lower().endswith(KEPT):
                archive.writestr(name, replaced[name] if name in replaced else parts.read(name, LARGEST))
    return file.getvalue()


def _hidden_styles(parts: Parts, main: str) -> frozenset[str]:
    hidden: set[str] = set()
    style = ""

    def start(tag: str, said: dict[str, str]) -> None:
        nonlocal style
        tag = local(tag)
        if tag == "style":
            style = said.get("w:styleId", "")
        elif tag == "vanish" and style and is_on(said):
            hidden.add(style)

    for name in parts.related_of(main, "styles"):
        parse(parts.read(name), start=start)
    return frozenset(hidden)


class _Editing:
    """One pass over the document, which collects what to put in the place of what."""

    def __init__(self, document: bytes, notes: dict[str, dict[str, list[str]]], hidden_styles: frozenset[str]) -> None:
        self.left_out: dict[str, list[str]] = {}
        self._document = document
        self._notes = notes
        self._hidden_styles = hidden_styles
        self._edits: list[tuple[int, int, bytes]] = []
        self._names: dict[str, str] = {}
        self._open: list[tuple[str, int]] = []
        self._prefix = "w:"
        self._used: set[tuple[str, str]] = set()
        self._number = 0
        self._waiting: list[str] = []
        self._blocks = 0
        self._cut_depth = 0
        self._cut_text: list[str] = []
        self._drawing: list[tuple[bool, bool, str]] = []
        self._run = _Run()
        self._before = ""
        self._in_text = False
        self._style_of_paragraph = ""
        self._parser = parser(self._start, self._end, self._text)

    def edited(self) -> bytes:
        feed(self._parser, self._document, is_last=True)
        written = bytearray()
        position = 0
        for start, end, text in sorted(self._edits, key=lambda edit: (edit[0], edit[1] > edit[0], -edit[1])):
            if start >= position:
                written += self._document[position:start] + text
                position = end
        return bytes(written + self._document[position:])

    def _start(self, tag: str, said: dict[str, str]) -> None:
        name = self._names.get(tag) or self._named(tag)
        if name in WANTED:
            at = self._parser.CurrentByteIndex
            self._open.append((name, at))
            if name == "t" or name == "delText":  # noqa: PLR1714 - the quickest way for most elements
                self._in_text = True
                if self._run.text_at is None:
                    self._run.text_at = self._document.index(b">", at) + 1
            elif name == "r":
                self._run = _Run(is_hidden=self._style_of_paragraph in self._hidden_styles)
            else:
                self._begin(name, said)
        elif self._drawing:
            self._in_drawing(name, said)

    def _begin(self, name: str, said: dict[str, str]) -> None:
        """Of an element that is neither a run nor its text."""
        if name in ("p", "tbl"):
            self._blocks += not self._cut_depth
            self._style_of_paragraph = self._before = ""
        elif name in CUT:
            self._cut_depth += 1
        elif name == "pStyle":
            self._style_of_paragraph = said.get(f"{self._prefix}val", "")
        elif name in REFERENCES:
            self._run.references.append((REFERENCES[name], said.get(f"{self._prefix}id", "")))
        elif name in DRAWINGS:
            self._drawing.append((False, True, ""))
        elif name in BLANKS:
            self._run.text.append(" ")
        elif not self._is_in("pPr"):
            self._look(name, said)

    def _look(self, name: str, said: dict[str, str]) -> None:
        value = said.get(f"{self._prefix}val", "")
        if name == "rStyle":
            self._run.is_hidden |= value in self._hidden_styles
        elif name == "vanish":
            self._run.is_hidden = is_on(said)
        elif name == "vertAlign":
            self._run.align = value

    def _named(self, tag: str) -> str:
        name = self._names[tag] = local(tag)
        if name == "document":
            self._prefix = tag[: -len(name)]
        return name

    def _in_drawing(self, name: str, said: dict[str, str]) -> None:
        has_picture, is_alone, described = self._drawing[-1]
        if name == "docPr":
            described = said.get("descr", "")
        self._drawing[-1] = (has_picture or name in PICTURES, is_alone and name not in NOT_ALONE, described)

    def _end(self, tag: str) -> None:
        if self._names[tag] not in WANTED:
            return
        name, start = self._open.pop()
        if name == "t" or name == "delText":  # noqa: PLR1714
            self._in_text = False
        elif self._cut_depth and name not in CUT:
            if name in DRAWINGS:
                self._drawing.pop()
        else:
            self._finish(name, start, self._behind(tag))

    def _finish(self, name: str, start: int, end: int) -> None:
        if name in CUT:
            self._cut_depth -= 1
            if not self._cut_depth:
                self._edits.append((start, end, b""))
                if name in DELETED:
                    self._leave_out("text that tracked changes delete", "".join(self._cut_text))
                self._cut_text.clear()
        elif name in DRAWINGS:
            has_picture, is_alone, described = self._drawing.pop()
            if has_picture and is_alone:
                self._edits.append((start, end, self._t(described) if described.strip() else b""))
        elif name == "vertAlign" and self._run.align:
            self._edits.append((start, end, b""))
        elif name in REFERENCES:
            self._run.references_at.append((start, end))
        elif name == "r":
            self._end_run(start, end)
        elif name in ("p", "tbl"):
            self._blocks -= 1
            if not self._blocks and self._waiting:
                self._edits.append((end, end, b"".join(map(self._p, self._waiting))))
                self._waiting.clear()
        elif name == "body":
            self._say_unused(self._parser.CurrentByteIndex)

    def _end_run(self, start: int, end: int) -> None:
        run, text = self._run, "".join(self._run.text)
        if run.is_hidden:
            self._edits.append((start, end, b""))
            self._leave_out(HIDDEN, text)
        elif run.align == "superscript" and POWER.fullmatch(text.strip()) and self._before[-1:].isalnum():
            place = run.text_at or start
            self._edits.append((place, place, b"^"))
        for (kind, id), (at, behind) in zip(run.references, run.references_at, strict=False):
            mark = self._take(kind, id)
            if text.strip():
                self._edits.append((at, behind, self._t(mark) if mark else b""))
            else:
                self._edits.append((start, end, self._run_of(mark) if mark else b""))
        self._before = text or self._before
        self._run = _Run()

    def _take(self, kind: str, id: str) -> str:
        """The mark that stands in the text. The note waits for the end of its paragraph."""
        paragraphs = self._notes.get(kind, {}).get(id, [])
        if not any(paragraph.strip() for paragraph in paragraphs):
            return ""
        self._used.add((kind, id))
        if kind == "comments":
            self._waiting += paragraphs
            return ""
        self._number += 1
        mark = f"[^{self._number}]"
        self._waiting += [f"{mark}: {paragraphs[0]}", *paragraphs[1:]]
        return mark

    def _say_unused(self, at: int) -> None:
        """Notes that nothing in the text names stand at its end."""
        rest = [
            paragraph
            for kind, by_id in self._notes.items()
            for id, paragraphs in by_id.items()
            if (kind, id) not in self._used
            for paragraph in paragraphs
            if paragraph.strip()
        ]
        if rest:
            self._edits.append((at, at, b"".join(map(self._p, rest))))

    def _leave_out(self, what: str, text: str) -> None:
        if text.strip():
            self.left_out.setdefault(what, []).append(text)

    def _text(self, piece: str) -> None:
        if self._in_text:
            (self._cut_text if self._cut_depth else self._run.text).append(piece)

    def _is_in(self, name: str) -> bool:
        return any(one == name for one, _ in self._open[-4:])

    def _behind(self, tag: str) -> int:
        """Where the element that ends here has ended. Of one without content, the parser names that place itself."""
        at = self._parser.CurrentByteIndex
        return self._document.index(b">", at) + 1 if self._document.startswith(f"</{tag}".encode(), at) else at

    def _t(self, text: str) -> bytes:
        return f'<{self._prefix}t xml:space="preserve">{_escaped(text)}</{self._prefix}t>'.encode()

    def _run_of(self, text: str) -> bytes:
        return f"<{self._prefix}r>".encode() + self._t(text) + f"</{self._prefix}r>".encode()

    def _p(self, text: str) -> bytes:
        return f"<{self._prefix}p>".encode() + self._run_of(text) + f"</{self._prefix}p>".encode()


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class _Run:
    """What is known of letters of one look."""

    def __init__(self, *, is_hidden: bool = False) -> None:
        self.is_hidden = is_hidden
        self.align = ""
        self.text: list[str] = []
        self.text_at: int | None = None
        self.references: list[tuple[str, str]] = []
        self.references_at: list[tuple[int, int]] = []
