"""The directives of docutils and Sphinx. One that is not known here keeps its name, its arguments and its content."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragbase.formats.rst.inline import code
from ragbase.formats.rst.tables import read_list

if TYPE_CHECKING:
    from ragbase.formats.rst.blocks import RstBlocks

OPTION = re.compile(r":(?P<name>[\w-]{1,60}):(?:\s+(?P<value>.*))?$")
SENTENCE = re.compile(r"[^\W\d]{2}|[A-Z] |[`*(\"']")
"""How the first line of a paragraph begins, which stands on the line of the label."""
CODE = frozenset(
    ("code-block", "code", "sourcecode", "parsed-literal", "prompt", "ipython", "ipython3", "doctest", "testcode",
    "testoutput", "testsetup", "testcleanup", "productionlist", "raw", "console", "code-cell", "jupyter-execute",
    "plot")
)  # fmt: skip
DRAWN = frozenset(("graphviz", "digraph", "graph", "mermaid", "uml", "plantuml", "inheritance-diagram"))
LANGUAGES = {"ipython": "python", "ipython3": "python", "doctest": "python", "testcode": "python", "console": "console"}
LABELS = {
    "seealso": "See also",
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
}
ADMONITIONS = (
    frozenset(("note", "warning", "tip", "hint", "important", "caution", "danger", "error", "attention", "todo"))
    | LABELS.keys()
)
TITLED = frozenset(
    ("admonition", "topic", "sidebar", "rubric", "centered", "dropdown", "tab", "group-tab", "tab-item", "card")
)  # fmt: skip
TRANSPARENT = frozenset(
    ("container", "compound", "highlights", "epigraph", "pull-quote", "glossary", "hlist", "only", "tabs",
    "tab-set", "grid", "cssclass", "rst-class", "grid-item", "nested", "details", "collapse", "ifconfig")
)  # fmt: skip
"""They say how their content looks, or where: it is read, their arguments are not."""
SILENT = frozenset(
    ("highlight", "default-role", "role", "sectnum", "section-numbering", "tabularcolumns", "currentmodule",
    "py:currentmodule", "contents", "default-domain", "currentlibrary", "program", "local")
)  # fmt: skip
"""They say something to Sphinx, and nothing to a reader."""
LAYOUT = frozenset(
    ("linenos", "lineno-start", "emphasize-lines", "name", "class", "align", "width", "height", "scale", "widths",
    "header-rows", "stub-columns", "maxdepth", "hidden", "glob", "noindex", "no-index", "no-index-entry",
    "nowrap", "columns", "sync", "gutter", "figwidth", "figclass", "target", "numbered", "titlesonly",
    "includehidden", "reversed", "force", "dedent", "encoding", "canonical", "module", "delim", "quote", "escape",
    "open", "color", "animate", "depth", "backlinks", "local", "keepspace", "format", "start-after", "end-before",
    "lines", "language")
)  # fmt: skip
"""Options without words for a reader. The others are kept."""


def write_directive(blocks: RstBlocks, name: str, arguments: str, lines: list[str]) -> None:
    """A directive, given what stands behind it and below it."""
    lines, arguments, options = _options(lines, arguments)
    kind = name.lower()
    write = WRITERS.get(kind)
    if write is not None:
        write(blocks, arguments, options, lines)
    elif kind in SILENT and not lines:
        if kind == "highlight":
            blocks.language = arguments
    elif kind in CODE or kind in DRAWN:
        _code(blocks, kind, arguments, options, lines)
    elif kind in ADMONITIONS:
        blocks.out.blank()
        label = LABELS.get(kind, kind.capitalize())
        if kind.startswith(("version", "deprecated")):
            version, _, rest = arguments.partition(" ")
            label, arguments = f"{label} {version}", rest
        lines = [*_kept(options), *lines]
        if not arguments and lines and SENTENCE.match(lines[0]):
            arguments = lines.pop(0)
        blocks.write([f"**{label}:** {arguments}".rstrip(), *([""] if not lines or not arguments else []), *lines])
    elif kind in TITLED:
        _titled(blocks, arguments, options, lines)
    elif kind in TRANSPARENT:
        blocks.out.blank()
        blocks.write([*_kept(options), *lines])
        blocks.out.blank()
    else:
        _other(blocks, name, arguments, options, lines)


def _options(lines: list[str], arguments: str) -> tuple[list[str], str, dict[str, str]]:
    """The content, the arguments with those of the lines directly below, and the options."""
    options: dict[str, str] = {}
    at = 0
    while at < len(lines) and (found := OPTION.match(lines[at])):
        value = [found["value"] or ""]
        at += 1
        while at < len(lines) and lines[at].startswith(" "):
            value.append(lines[at].strip())
            at += 1
        options[found["name"]] = " ".join(value).strip()
    while at < len(lines) and not lines[at]:
        at += 1
    return lines[at:], arguments, options


def _kept(options: dict[str, str]) -> list[str]:
    kept = [f":{name}: {value}".rstrip() for name, value in options.items() if name not in LAYOUT]
    return [*kept, ""] if kept else []


def _caption(blocks: RstBlocks, options: dict[str, str]) -> None:
    if caption := options.pop("caption", "") or options.pop("title", ""):
        blocks.out.blank()
        blocks.out.prose(f"**{blocks.inline(caption)}**")
        blocks.out.blank()


def _code(blocks: RstBlocks, kind: str, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    _caption(blocks, options)
    if kind in ("parsed-literal", "testsetup", "testcleanup", "testoutput", "productionlist", "plot"):
        language, lines = "", [arguments, *lines] if arguments else lines
    elif kind in DRAWN:
        language, lines = kind, [arguments, *lines] if arguments else lines
    else:
        language = LANGUAGES.get(kind, arguments.split(" ", maxsplit=1)[0])
    if not lines and (file := options.get("file") or options.get("url")):
        blocks.out.line(f"{kind}: {file}")
    blocks.out.code(lines, language)


def _titled(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    blocks.out.blank()
    if arguments:
        blocks.out.line(f"**{blocks.inline(arguments)}**")
        blocks.out.blank()
    blocks.write([*_kept(options), *lines])
    blocks.out.blank()


def _other(blocks: RstBlocks, name: str, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    """The description of something (`function`, `option`, `setting`), or a directive that is not known: its arguments
    stand before its content, which may begin with more of them."""
    name = name.rpartition(":")[2]
    signatures = [arguments]
    while lines and lines[0] and signatures[-1].endswith("\\"):
        signatures.append(lines.pop(0))
    kept = [f"{option} {value}".strip() for option, value in options.items() if option not in LAYOUT]
    blocks.out.blank()
    with blocks.out.within("- ", "  "):
        blocks.out.prose(f"{name}: {_signature(blocks, arguments)}" if arguments else name)
        for signature in signatures[1:]:
            blocks.out.prose(_signature(blocks, signature))
        if kept:
            blocks.out.prose(f"({blocks.inline(', '.join(kept))})")
        blocks.out.blank()
        blocks.write(lines)
    blocks.out.blank()


def _signature(blocks: RstBlocks, text: str) -> str:
    """What is described: in the letters of code, where it is no sentence."""
    is_code = not any(mark in text for mark in "`\\") and ("(" in text or " " not in text)
    return code(text) if is_code else blocks.inline(text)


def _math(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    blocks.out.code([arguments, *lines] if arguments else lines, "math")


def _toctree(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    """The names of the pages below this one."""
    _caption(blocks, options)
    for line in filter(None, lines):
        title, sign, page = line.strip().removesuffix(">").rpartition(" <")
        blocks.out.line(f"- [{title}]({page})" if sign else f"- {line.strip()}")
    blocks.out.blank()


def _image(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    """A picture: its text, its address and its caption."""
    blocks.out.blank()
    alt = options.pop("alt", "").replace("]", "\\]")
    blocks.out.line(f"![{alt}]({arguments})")
    blocks.out.blank()
    blocks.write([*_kept(options), *lines])


def _named(what: str) -> Callable[[RstBlocks, str, dict[str, str], list[str]], None]:
    """For what stands in another file, which is not opened."""

    def write(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
        _caption(blocks, options)
        blocks.out.blank()
        blocks.out.line(f"*{what}: {arguments}*")
        blocks.out.blank()
        blocks.write([*_kept(options), *lines])

    return write


def _index(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    blocks.out.leave_out("entries of the index", "\n".join([arguments, *lines]))


def _table(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    _title(blocks, arguments)
    blocks.write([*_kept(options), *lines])


def _list_table(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    _title(blocks, arguments)
    rows = read_list(lines)
    if rows is None:
        blocks.write(lines)
    else:
        blocks.rows(rows, has_header=options.get("header-rows", "0") not in ("0", ""))


def _csv_table(blocks: RstBlocks, arguments: str, options: dict[str, str], lines: list[str]) -> None:
    _title(blocks, arguments)
    delimiter = {"tab": "\t", "space": " "}.get(options.get("delim", ""), options.get("delim", ","))
    header = [options["header"]] if options.get("header") else []
    try:
        rows = [row for row in csv.reader([*header, *lines], delimiter=delimiter, skipinitialspace=True) if row]
    except (csv.Error, TypeError):
        blocks.out.code([*header, *lines])
        return
    if file := options.get("file") or options.get("url"):
        blocks.out.line(f"*csv-table: {file}*")
    blocks.rows(rows, has_header=bool(header) or options.get("header-rows", "0") not in ("0", ""))


def _title(blocks: RstBlocks, title: str) -> None:
    if title:
        blocks.out.blank()
        blocks.out.line(f"**{blocks.inline(title)}**")
        blocks.out.blank()


WRITERS: dict[str, Callable[[RstBlocks, str, dict[str, str], list[str]], None]] = {
    "math": _math,
    "toctree": _toctree,
    "image": _image,
    "figure": _image,
    "include": _named("include"),
    "literalinclude": _named("literalinclude"),
    "index": _index,
    "table": _table,
    "list-table": _list_table,
    "flat-table": _list_table,
    "csv-table": _csv_table,
}
