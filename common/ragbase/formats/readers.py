"""The reader of each format. The table of formats is apart from them: who routes files needs its names and lanes, and
would load what reads all formats for nothing."""

from __future__ import annotations

from ragbase.formats import code, config, csv, json, jsonl, log, markdown, notebook, text, tsv, xml, yaml
from ragbase.formats.asciidoc import asciidoc
from ragbase.formats.html import html
from ragbase.formats.man import man
from ragbase.formats.office import office
from ragbase.formats.org import org
from ragbase.formats.pdf import pdf
from ragbase.formats.picture import picture
from ragbase.formats.reader import Reader
from ragbase.formats.rst import rst
from ragbase.formats.table import added_formats
from ragbase.formats.tex import tex

READERS: dict[str, Reader] = {
    "pdf": pdf.READER,
    "html": html.READER,
    "jsonl": jsonl.READER,
    "json": json.READER,
    "md": markdown.READER,
    "tsv": tsv.READER,
    "csv": csv.READER,
    "txt": text.READER,
    "ipynb": notebook.READER,
    "xml": xml.READER,
    "man": man.READER,
    "adoc": asciidoc.READER,
    "rst": rst.READER,
    "org": org.READER,
    "tex": tex.READER,
    "yaml": yaml.READER,
    "config": config.READER,
    "log": log.READER,
    "code": code.READER,
    **office.READERS,
    **picture.READERS,
}
"""Of our formats, by their names."""


def reader_of(format: str) -> Reader:
    """The reader of the format of this name, ours or another package's. Raises KeyError if there is none."""
    return READERS[format] if format in READERS else added_formats()[format].reader
