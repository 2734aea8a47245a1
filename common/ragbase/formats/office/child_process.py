"""The script that reads one office document: bytes on stdin, JSON on stdout (see formats/limited_process.py).

Its options are the content type and the most characters that the text may have. Its answer is {"title": text or null,
"pages": [Markdown, …]}, a page being a slide of a presentation, or else all of the document; or {"error": WORD}, the
words being those of office.FAILURES.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any

from ragbase.formats.limited_process import answer

PRESENTATION = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
LOOK = 1024 * 1024
"""Bytes of a list of encrypted files that are looked at."""

ENCRYPTED = (("META-INF/manifest.xml", b"encryption-data"), ("META-INF/encryption.xml", b"EncryptedData"))
"""How an OpenDocument file, and a book, say what in them is encrypted."""


def read_document(data: bytes, content_type: str, max_characters: str) -> bytes:
    said = _read(data, content_type, int(max_characters))
    return json.dumps(said, ensure_ascii=False).encode(errors="replace")


def _read(data: bytes, content_type: str, max_characters: int) -> dict[str, Any]:
    import asyncio  # here, because a function that starts knows this format and reads no file of it

    import xberg

    config = xberg.ExtractionConfig(
        output_format="markdown",
        use_cache=False,
        disable_ocr=True,
        escape_markdown=False,
        max_archive_depth=0,  # attachments are named, and not read
        content_filter=xberg.ContentFilterConfig(include_footnotes=True, strip_repeating_text=False),
        pages=xberg.PageConfig(extract_pages=True) if content_type == PRESENTATION else None,
        concurrency=xberg.ConcurrencyConfig(max_threads=1),
    )
    wanted = xberg.ExtractInput(kind="bytes", bytes=data, mime_type=content_type)
    try:
        document = asyncio.run(xberg.extract(wanted, config)).results[0]
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - also a panic of the library, which is the file's doing
        return {"error": _why(data, str(error))}
    pages = [page.content for page in document.pages or ()] or [document.content]
    if not any(page.strip() for page in pages) and _is_encrypted(data):
        return {"error": "password"}
    if sum(map(len, pages)) > max_characters:
        return {"error": "too_much_text"}
    return {"title": document.metadata.title or document.metadata.subject, "pages": pages}


def _why(data: bytes, message: str) -> str:
    if "Security limit" in message:  # its limits of what is unpacked
        return "too_much_text"
    return "password" if _is_encrypted(data) else "corrupt"


def _is_encrypted(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(entry.flag_bits & 1 for entry in archive.infolist()):
                return True
            for name, word in ENCRYPTED:
                if name in archive.namelist():
                    with archive.open(name) as said:
                        return word in said.read(LOOK)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        return False
    return False


if __name__ == "__main__":
    answer(read_document)
