"""Notebooks of Jupyter: their cells in their order, with the text of their outputs. Pictures are left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.json import mistake, not_json, read_json_file
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits


def read_notebook(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError: as `decode_within`, and CORRUPT_FILE for what is not JSON. JSON that is no notebook is
    read as JSON."""
    from ragbase.formats.markdown_text import MarkdownText
    from ragbase.formats.notebook_cells import CellWriter, cells_of, language_of, title_of
    from ragbase.formats.outlined import too_deep

    decoded = decode_within(data, limits)
    try:
        notebook = json.loads(decoded.text) if decoded.text.strip() else {}
    except json.JSONDecodeError as error:
        raise not_json(mistake(error, decoded.text)) from error
    except RecursionError:
        too_deep()
    cells = list(cells_of(notebook))
    if not cells:
        return read_json_file(data, limits)
    notes = decoded.notes
    del decoded
    writer = CellWriter(MarkdownText(limits.max_text_characters), language_of(notebook))
    for cell in cells:
        writer.cell(cell)
    return writer.out.extraction(metadata=DocumentMetadata.of(title=title_of(notebook)), notes=(*notes, *writer.notes))


def is_notebook(data: bytes) -> bool:
    return (
        data[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        and b'"nbformat"' in data
        and (b'"cell_type"' in data or b'"cells"' in data)
    )


READER = Reader(
    version="ipynb-v1",
    check=check_text_file,
    read=read_notebook,
    proves=is_notebook,
)
