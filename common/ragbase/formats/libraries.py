"""The libraries that read some formats, and how to install them. ragbase reads the other formats without them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.extras import bring, brings_extras, install_command
from ragbase.formats.file_types import OFFICE_CONTENT_TYPES, PICTURE_CONTENT_TYPES, READ_WITHOUT_LIBRARY


@dataclass(frozen=True, slots=True)
class Library:
    """`extra` of the distribution installs it. `reads` says what for, as the subject of a sentence."""

    modules: tuple[str, ...]
    extra: str
    formats: frozenset[str]
    reads: str


OFFICE = Library(
    ("xberg",),
    "office",
    frozenset(OFFICE_CONTENT_TYPES) - READ_WITHOUT_LIBRARY,
    "office documents of the formats docx, doc, xls, ppt and msg",
)
PICTURES = Library(("PIL",), "pictures", frozenset(PICTURE_CONTENT_TYPES), "the images of pictures")
OCR = Library(("tesserocr", "PIL"), "ocr", frozenset((*PICTURE_CONTENT_TYPES, "pdf")), "pictures and scanned pages")


def is_installed(library: Library) -> bool:
    return all(find_spec(module) is not None for module in library.modules)


def missing_libraries(formats: Collection[str]) -> str | None:
    """What of these formats is not read here, and the one command that installs what reads it; None if all is read."""
    wanted = [one for one in (OFFICE, OCR) if any(name in formats for name in one.formats)]
    missing = [one for one in wanted if not is_installed(one) and not brings_extras()]
    if not missing:
        return None
    what = " and ".join(one.reads for one in missing)
    return f"Not read here: {what}. Install what reads them: {install_command(*(one.extra for one in missing))}"


def bring_libraries(formats: Collection[str]) -> None:
    """Bring what reads these formats where that comes on demand: before there is a bar of progress. PDFs bring OCR
    themselves, as most need none. Where it fails, the documents say so."""
    for library in (OFFICE, OCR):
        if any(name in formats for name in library.formats - {"pdf"}) and not is_installed(library):
            bring(library.extra)


def require(library: Library, format: str) -> None:
    """Raises PermanentError (UNSUPPORTED_FORMAT) for a document of a format that nothing reads here, and Busy."""
    if not is_installed(library) and not (bring(library.extra) and is_installed(library)):
        modules = " and ".join(library.modules)
        raise PermanentError(
            ErrorCode.UNSUPPORTED_FORMAT,
            f"Files of the format {format} are read with {modules}, which cannot be imported here. Install the "
            f"extra {library.extra} (`ragbase doctor` shows the command), and retry the document.",
        )
