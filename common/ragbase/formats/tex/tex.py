"""TeX and LaTeX. No macro is expanded, and no other file is read. Everything that is not a command is text. A
package of macros is a program, so it is read as its lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.decode import beginning
from ragbase.formats.lines import LOOKS_LIKE_OTHERS, no_sections, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

BEGIN = re.compile(r"\\begin\s{0,20}\{document\}")
SAID = re.compile(r"\\(title|author|date)\s{0,20}(?=[\[{])")
"""What a reader sees of a preamble."""

LOOK = 256 * 1024
"""Bytes at the beginning that say what a file is."""
DEFINITION = re.compile(
    r"^[ \t]*\\(?:[gex]?def|let|newcommand|new(?:if|count|dimen|skip|box|toks)|(?:g|global)\b)", re.MULTILINE
)
MANY = 0.08
"""Share of lines that define something in what is a program. texinfo.tex has 0.2, a thesis with its own macros 0.02."""


def read_tex_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within` and MarkdownText."""
    from ragbase.formats.markdown_text import MarkdownText
    from ragbase.formats.tex.source import TexSource
    from ragbase.formats.tex.writer import TexWriter

    if is_program(data):
        return read_lines(data, limits, no_sections)
    decoded = decode_within(data, limits)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    start, end = _bounds(text)
    out = MarkdownText(limits.max_text_characters)
    writer = TexWriter(out, text)
    preamble = text[:start]
    said = {}
    for found in SAID.finditer(preamble):
        source = TexSource(preamble)
        said[found[1]] = writer.plain(source.argument(source.after_option(found.end()))[0])
    if "title" in said:
        out.heading(1, said["title"])
        writer.level = 2
    for name in ("author", "date"):
        if said.get(name):
            out.prose(said[name])
            out.blank()
    out.leave_out("the preamble, which sets the document up", preamble)
    writer.write(start, end)
    writer.words.close()
    out.leave_out("what stands behind the document", text[end:].removeprefix("\\end{document}"))
    said |= writer.said
    return out.extraction(
        metadata=DocumentMetadata.of(title=said.get("title"), date=said.get("date")), notes=decoded.notes
    )


def _bounds(text: str) -> tuple[int, int]:
    """Where the document begins, and where it ends. A part of a document has no preamble."""
    found = BEGIN.search(text)
    end = text.find("\\end{document}", found.end()) if found else -1
    return (found.end() if found else 0), (end if end >= 0 else len(text))


def is_program(data: bytes) -> bool:
    """Whether most of its lines define something, or are the insides of what they define."""
    text = beginning(data, LOOK)
    return "\\begin{document}" not in text and len(DEFINITION.findall(text)) > MANY * (text.count("\n") + 1)


READER = Reader(
    version="tex-v1",
    check=check_text_file,
    read=read_tex_file,
    looks_like=LOOKS_LIKE_OTHERS,
)
