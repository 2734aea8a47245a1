"""The cells of a notebook, and their outputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ragbase.formats.markdown_text import MarkdownText

ESCAPE = re.compile(r"\x1b\[[0-9;:?]{0,50}[A-Za-z]")
"""What colours the letters of a terminal."""
FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})", re.MULTILINE)
EMBEDDED = re.compile(
    r"(?<=\()(?:data:image/[\w.+-]{1,40};base64,[A-Za-z0-9+/=\s]{0,100000000}+|attachment:[^)\s]{1,200})"
)
"""A picture inside of a text."""
STANDS_FOR_PICTURE = re.compile(r"<[^<>\n]{1,200}>")
"""`<Figure size 640x480 with 1 Axes>`, which stands beside the picture."""
TEXTS = ("text/markdown", "text/plain", "text/latex")
"""The form of an output that is read: the first of these that it has."""
NOT_READ = re.compile(r"(?:image|video|audio)/|application/(?:pdf|vnd|javascript|x-)")

Json = Mapping[str, object]


def cells_of(notebook: object) -> Iterator[Json]:
    """Those of version 4, or those of the worksheets of version 3."""
    if not isinstance(notebook, dict):
        return
    sheets = notebook.get("worksheets")
    for holder in (notebook, *(sheets if isinstance(sheets, list) else ())):
        cells = holder.get("cells") if isinstance(holder, dict) else None
        yield from (cell for cell in (cells if isinstance(cells, list) else ()) if isinstance(cell, dict))


def language_of(notebook: Json) -> str:
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        said = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(said, dict) and isinstance(said.get(name), str):
            return str(said[name])
    return "python"


def title_of(notebook: Json) -> str:
    metadata = notebook.get("metadata")
    return _text(metadata.get("title")) if isinstance(metadata, dict) else ""


def _text(value: object) -> str:
    """A text, or its lines."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


class CellWriter:
    def __init__(self, out: MarkdownText, language: str) -> None:
        self.out = out
        self._language = language
        self._pictures = 0
        self._others = 0

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self._pictures:
            notes.append(
                f"{self._pictures} picture{'s' if self._pictures > 1 else ''} in it left out: the text is read."
            )
        if self._others:
            are = "outputs have" if self._others > 1 else "output has"
            notes.append(f"{self._others} {are} no text, as widgets and scripts: left out.")
        return tuple(notes)

    def cell(self, cell: Json) -> None:
        kind = cell.get("cell_type")
        source = _text(cell.get("source", cell.get("input")))
        if kind == "code":
            self._code(source, str(cell.get("language") or self._language))
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else ():
                if isinstance(output, dict):
                    self._output(output)
        elif kind == "heading":
            level = cell.get("level")
            self.out.heading(level if isinstance(level, int) and level > 0 else 1, source)
        elif kind == "raw":
            self._code(source, "")
        else:
            self._markdown(source)

    def _code(self, text: str, language: str) -> None:
        self.out.code(text.rstrip().splitlines(), re.sub(r"\W+", "", language.lower()))

    def _markdown(self, text: str) -> None:
        """As it is. A fence that is open at the end of the cell ends with it."""
        text, pictures = EMBEDDED.subn("", text)
        self._pictures += pictures
        self.out.blank()
        for line in text.strip("\n").splitlines():
            self.out.line(line)
        open_ = ""
        for fence in FENCE.findall(text):
            open_ = fence if not open_ else "" if fence.startswith(open_) else open_
        if open_:
            self.out.line(open_)
        self.out.blank()

    def _output(self, output: Json) -> None:
        kind = output.get("output_type")
        if kind in ("stream", "pyout_stream"):
            self._plain(_text(output.get("text")))
        elif kind in ("error", "pyerr"):
            traceback = output.get("traceback")
            lines = [line for line in traceback if isinstance(line, str)] if isinstance(traceback, list) else []
            self._plain("\n".join(lines) or f"{output.get('ename', '')}: {output.get('evalue', '')}")
        else:
            data = output.get("data")
            self._data(data if isinstance(data, dict) else _version_3(output))

    def _plain(self, text: str) -> None:
        self._code(ESCAPE.sub("", text), "")

    def _data(self, forms: Json) -> None:
        """One of the forms that an output has: they say the same."""
        has_picture = any(kind.startswith("image/") for kind in forms)
        self._pictures += has_picture
        for kind in TEXTS:
            if text := _text(forms.get(kind)):
                if has_picture and STANDS_FOR_PICTURE.fullmatch(text.strip()):
                    self.out.leave_out("words that stand for pictures", text)
                elif kind == "text/markdown":
                    self._markdown(text)
                else:
                    self._plain(text)
                return
        if html := _text(forms.get("text/html")):
            self._html(html)
        elif not has_picture and any(NOT_READ.match(kind) for kind in forms):
            self._others += 1

    def _html(self, html: str) -> None:
        """The text of an output that has no other form, without its tags."""
        from selectolax.lexbor import LexborHTMLParser

        from ragbase.formats.html.parser_limits import within_limits
        from ragbase.formats.html.tokenizer import is_nested_too_deep, plain_text

        if is_nested_too_deep(html):
            text = plain_text(html)[0]
        else:
            page = LexborHTMLParser(within_limits(html)[0])
            for node in page.css("script, style"):
                node.decompose()
            text = page.body.text(separator="\n") if page.body is not None else ""
        lines = text.splitlines()
        self.out.code([line for line in lines if line.strip()])


VERSION_3 = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "png": "image/png", "jpeg": "image/jpeg",
             "svg": "image/svg+xml", "javascript": "application/javascript"}  # fmt: skip


def _version_3(output: Json) -> Json:
    return {kind: output[key] for key, kind in VERSION_3.items() if key in output}
