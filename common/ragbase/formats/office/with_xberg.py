"""Documents that the library xberg reads."""

from __future__ import annotations

import re
from typing import Any

from ragbase.domain.left_out import LeftOut
from ragbase.formats.office.content_types import OFFICE_CONTENT_TYPES
from ragbase.formats.office.package import is_zip
from ragbase.formats.office.parts import Damaged, Parts, TooLarge
from ragbase.formats.office.word import prepared

LIMITED = re.compile(r"(?:security (?:limit|violation)|limit exceeded)[^:]*: *(.*)", re.IGNORECASE | re.DOTALL)
"""What the library says of a document that is over one of its limits. Those that can be set are ours."""

MOST_NESTED = 1_024
"""Levels of elements within each other."""


def read_with_xberg(data: bytes, format: str, max_unpacked: int) -> dict[str, Any]:
    """Raises Damaged and TooLarge."""
    left_out: list[LeftOut] = []
    if is_zip(data):
        parts = Parts(data, max_unpacked)
        parts.check()
        if format == "docx":
            data, left_out = prepared(data, parts)
    document = extracted(data, OFFICE_CONTENT_TYPES[format][0], max_unpacked)
    return {
        "title": document.metadata.title or document.metadata.subject,
        "pages": [document.content],
        "entries": [],
        "notes": [],
        "left_out": [(one.what, one.text, one.shown) for one in left_out],
    }


def extracted(data: bytes, content_type: str, max_unpacked: int) -> Any:
    """The library's document. Raises Damaged and TooLarge."""
    import asyncio  # here, because a function that starts knows this format and reads no file of it

    import xberg

    config = xberg.ExtractionConfig(
        output_format="markdown",
        use_cache=False,
        disable_ocr=True,
        escape_markdown=False,
        max_archive_depth=0,  # attachments are named, and not read
        content_filter=xberg.ContentFilterConfig(include_footnotes=True, strip_repeating_text=False),
        concurrency=xberg.ConcurrencyConfig(max_threads=1),
        security_limits=xberg.SecurityLimits(
            max_archive_size=max_unpacked,
            max_compression_ratio=max_unpacked,
            max_content_size=max_unpacked,
            max_entity_length=max_unpacked,
            max_iterations=max_unpacked,
            max_table_cells=max_unpacked,
            max_nesting_depth=MOST_NESTED,
            max_xml_depth=MOST_NESTED,
        ),
    )
    wanted = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=content_type)
    try:
        return asyncio.run(xberg.extract(wanted, config)).results[0]
    except MemoryError:
        raise
    except BaseException as error:  # also a panic of the library, which is the file's doing
        limited = LIMITED.search(str(error))
        raise (TooLarge(limited[1]) if limited else Damaged) from error
