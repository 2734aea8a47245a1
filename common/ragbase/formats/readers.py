"""The reader of each format. The table of formats is apart from them: who routes files needs its names and lanes, and
would load what reads all formats for nothing."""

from __future__ import annotations

from ragbase.formats import csv, html, json, jsonl, markdown, text, tsv
from ragbase.formats.office import office
from ragbase.formats.pdf import pdf
from ragbase.formats.picture import picture

READERS = {
    "pdf": pdf.READER,
    "html": html.READER,
    "jsonl": jsonl.READER,
    "json": json.READER,
    "md": markdown.READER,
    "tsv": tsv.READER,
    "csv": csv.READER,
    "txt": text.READER,
    **office.READERS,
    **picture.READERS,
}
"""By the format's name."""
