"""What the pages of an opened PDF say: by their text layers, and by OCR where these say nothing. See child_process.py
for the task and the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from ragbase.domain.left_out import LeftOut
from ragbase.domain.page_range import cut_pages
from ragbase.domain.word_boxes import BOXES_PER_CHARACTER
from ragbase.formats.pdf.text_layer import TextLayer, read_pages
from ragbase.formats.pdf.usable_text import is_scan, needs_ocr

if TYPE_CHECKING:
    from ragbase.formats.pdf.ocr import Ocr, Recognised

GARBAGE = "a text layer that does not say which letters it shows"

OCR_WEIGHT = 200.0
"""How many pages of text are read while OCR reads one: 2 seconds, at 100 pages of text a second."""

MAX_DEPTH = 3
"""Of forms in forms."""


def read(document: Any, task: dict[str, Any]) -> dict[str, Any]:
    ocr = task["ocr"]
    if task["cut"] and (parts := cut_pages(list(_weights(document, ocr)))):
        return {"parts": [(part.first, part.last) for part in parts]}
    layers: dict[int, TextLayer] = {}
    length = 0
    first, last = task["first"], task["last"] or len(document)
    for index, layer in enumerate(read_pages(document.raw, first, last), start=first - 1):
        layers[index] = layer
        length += len(layer.markdown) + sum(len(left_out.text) for left_out in layer.left_out)
        if length > task["max_characters"]:
            return {"error": "too_much_text"}
    reads = ocr is not None and ocr["data"] is not None
    force = reads and ocr["force"]
    scans = [index for index, layer in layers.items() if force or _may_say_more(layer)]
    recognised = _recognised(document, scans, ocr) if reads and scans else {}
    if recognised is None:
        return {"error": "ocr_data"}
    pages = []
    room = BOXES_PER_CHARACTER * task["max_characters"]
    for index, layer in layers.items():
        page = _of_page(layer, recognised.get(index), force=force)
        room -= len(page["boxes"])
        if room < 0:
            page["boxes"] = ""
        if page["read"] == "blank" and _fails(document, index):
            page["read"] = "damaged"
        pages.append(page)
    return {"pages": pages}


def _may_say_more(layer: TextLayer) -> bool:
    """Whether OCR is asked what the page shows."""
    bare = layer.ink and not layer.says_more
    return layer.is_garbage or bare or needs_ocr(layer.markdown, images=layer.images)


def _weights(document: Any, ocr: dict[str, Any] | None) -> Iterator[float]:
    """How long each page takes to read, in pages of text, as far as that is to be seen without reading it."""
    for index in range(len(document)):
        by_ocr = ocr is not None and (ocr["force"] or _has_ink_alone(document, index))
        yield OCR_WEIGHT if by_ocr else 1.0


def _recognised(document: Any, scans: Sequence[int], ocr: dict[str, Any]) -> dict[int, Recognised] | None:
    """What OCR reads on these pages; None if it cannot read the data of its languages."""
    from ragbase.formats.pdf.ocr import BadData, Ocr  # most documents have no page for it

    engine = Ocr(ocr["data"], ocr["languages"])
    readings = [(index, _begin(engine, document, index)) for index in scans]
    try:
        return {index: reading.result() for index, reading in readings if reading is not None}
    except BadData:
        return None


def _begin(ocr: Ocr, document: Any, index: int) -> Future[Recognised] | None:
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return None
    try:
        return ocr.recognise(page)
    finally:
        page.close()


def _of_page(layer: TextLayer, recognised: Recognised | None, *, force: bool) -> dict[str, Any]:
    """What a page says, the word for how it was read, and what was left out."""
    found = recognised.markdown if recognised is not None else ""
    if found and (force or layer.is_garbage or (_may_say_more(layer) and is_scan(layer.markdown, found))):
        unseen = [left_out for left_out in layer.left_out if not left_out.shown]  # by OCR, too
        text = "\n\n".join(filter(None, (found, layer.values)))
        return _page(text, "ocr", unseen, recognised.boxes if recognised is not None else "")
    if any(map(str.isalnum, layer.markdown)) and not layer.is_garbage:
        return _page(layer.markdown, "text", layer.left_out, layer.boxes)
    left_out = [*layer.left_out]
    if layer.is_garbage:
        left_out.append(LeftOut(GARBAGE, layer.markdown, shown=False))
    if recognised is None:
        return _page("", "unread" if layer.ink else "blank", left_out)
    return _page("", "ocr_failed" if recognised.has_ink else "blank", left_out)


def _page(markdown: str, read: str, left_out: Sequence[LeftOut], boxes: str = "") -> dict[str, Any]:
    return {"markdown": markdown, "read": read, "left_out": [asdict(text) for text in left_out], "boxes": boxes}


def _fails(document: Any, index: int) -> bool:
    page = pdfium.FPDF_LoadPage(document.raw, index)
    if page:
        pdfium.FPDF_ClosePage(page)
    return not page


def _has_ink_alone(document: Any, index: int) -> bool:
    page = pdfium.FPDF_LoadPage(document.raw, index)
    if not page:
        return False
    try:
        kinds = _kinds(
            pdfium.FPDFPage_CountObjects(page), lambda number: pdfium.FPDFPage_GetObject(page, number), MAX_DEPTH
        )
        return bool(kinds) and pdfium.FPDF_PAGEOBJ_TEXT not in kinds
    finally:
        pdfium.FPDF_ClosePage(page)


def _kinds(count: int, child: Any, depth: int) -> set[int]:
    """The kinds of the objects on a page; it stops at the first text."""
    kinds: set[int] = set()
    for number in range(count):
        thing = child(number)
        kind = pdfium.FPDFPageObj_GetType(thing)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            inner = pdfium.FPDFFormObj_CountObjects(thing)
            kinds |= _kinds(inner, lambda at, form=thing: pdfium.FPDFFormObj_GetObject(form, at), depth - 1)
        else:
            kinds.add(kind)
        if pdfium.FPDF_PAGEOBJ_TEXT in kinds:
            break
    return kinds
