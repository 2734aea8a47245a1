"""The script that reads one picture by OCR: bytes on stdin, JSON on stdout (see formats/sandbox/answer.py).

Its option is a task in JSON: {"format": NAME, "first": N, "last": N, "cut": bool, "max_pixels": N, "max_characters": N,
"data": FOLDER, "languages": [CODE, …]}, with pages counted from 1 and 0 for the last one. The answer is {"pages":
[{"markdown": …, "read": WORD, "boxes": …}, …]}, as that of formats/pdf/child_process.py; {"parts": [[FIRST, LAST], …]}
if there may be parts and enough pages; or {"error": WORD}, the words being those of picture.FAILURES.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from ragbase.domain.page_range import cut_pages
from ragbase.domain.word_boxes import BOXES_PER_CHARACTER
from ragbase.formats.sandbox.answer import answer
from ragbase.formats.unreadable import Damaged, TooLarge

OCR_WEIGHT = 200.0
"""What a page weighs, in pages of text (formats/pdf/pages.py)."""


def read_document(data: bytes, task: str) -> bytes:
    try:
        said = read_picture(data, json.loads(task))
    except MemoryError:
        said = {"error": "too_much_memory"}
    return json.dumps(said, ensure_ascii=False).encode()


def read_picture(data: bytes, task: dict[str, Any]) -> dict[str, Any]:
    from ragbase.formats.picture.frames import Frames

    try:
        frames = Frames(data, task["format"], task["max_pixels"])
        if task["cut"] and (parts := cut_pages([OCR_WEIGHT] * frames.pages)):
            return {"parts": [(part.first, part.last) for part in parts]}
        return _recognised(frames, task)
    except Damaged:
        return {"error": "corrupt"}
    except TooLarge:
        return {"error": "too_large"}


def _recognised(frames: Any, task: dict[str, Any]) -> dict[str, Any]:
    from ragbase.formats.pdf.ocr import BadData, Ocr

    engine = Ocr(task["data"], task["languages"])
    last = min(task["last"] or frames.pages, frames.pages)
    readings = [engine.read(partial(frames.page, page)) for page in range(task["first"] - 1, last)]
    pages = []
    length, room = 0, BOXES_PER_CHARACTER * task["max_characters"]
    try:
        for reading in readings:
            found = reading.result()
            word = "ocr" if found.markdown else "ocr_failed" if found.has_ink else "blank"
            length += len(found.markdown)
            room -= len(found.boxes)
            pages.append({"markdown": found.markdown, "read": word, "boxes": found.boxes if room >= 0 else ""})
    except BadData:
        return {"error": "ocr_data"}
    if length > task["max_characters"]:
        return {"error": "too_much_text"}
    return {"pages": pages}


if __name__ == "__main__":
    answer(read_document)
