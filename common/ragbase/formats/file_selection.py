"""Which files of a folder, or of another source, become documents."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.program_files import ProgramFiles
from ragbase.formats.plain_text import format_of_content
from ragbase.formats.signatures import binary_kind
from ragbase.formats.table import TEXT, format_of


class BinaryKind(NamedTuple):
    """What people call one such file, several, and what can be done about them."""

    one: str
    many: str
    remedy: str


_PICTURE = BinaryKind("picture", "pictures", "The text in a picture of this kind is not read: save it as PDF.")
_ARCHIVE = BinaryKind("archive", "archives", "An archive is not opened: unpack it.")
_RECORDING = BinaryKind("recording", "recordings", "Nobody reads what is said in it: add a transcript.")
_VIDEO = BinaryKind("video", "videos", "Nobody reads what is said in it: add a transcript.")
_FONT = BinaryKind("font", "fonts", "It holds no text.")
_PROGRAM = BinaryKind("program", "programs", "It holds no text.")
_DATA = BinaryKind("data file", "data files", "It is no text: export what should be found as CSV or text.")

KINDS = {
    f".{ending}": kind
    for kind, endings in (
        (
            _PICTURE,
            "png jpg jpeg jpe jfif gif bmp tif tiff webp heic heif avif ico icns cur psd xcf jp2 jxl tga dds exr hdr "
            "raw cr2 cr3 nef arw dng orf",
        ),
        (
            _ARCHIVE,
            "zip gz tgz bz2 tbz2 xz txz zst 7z rar tar lz lzma lz4 br jar war ear whl apk ipa cab deb rpm dmg iso img",
        ),
        (_RECORDING, "mp3 wav flac ogg oga opus m4a aac wma aif aiff mid midi amr"),
        (_VIDEO, "mp4 m4v mov avi mkv webm wmv flv mpg mpeg ogv 3gp"),
        (_FONT, "ttf otf ttc woff woff2 eot"),
        (_PROGRAM, "exe dll so dylib sys msi a o pyc pyo pyd class wasm"),
        (
            _DATA,
            "sqlite sqlite3 mdb accdb parquet avro orc feather arrow h5 hdf5 npy npz pkl pickle joblib onnx "
            "safetensors pt pth gguf ckpt tflite mo",
        ),
    )
    for ending in endings.split()
}
"""By the endings of names that no text has: such files are known without a look at their content."""


class FileSelection:
    """The formats and names that the settings allow, asked about one file after another."""

    def __init__(self, allowed: Collection[str], program_files: ProgramFiles | None = None) -> None:
        """`allowed` are names of formats. Without `program_files`, those of no setting are left out."""
        self._allowed = allowed
        self._program_files = program_files or ProgramFiles()

    def program_file(self, name: str, before: LeftOutFile | None = None) -> LeftOutFile | None:
        """Why a file is not taken, whatever is in it: a program keeps it for itself; None if none does. `name` is that
        of its document. `before` says why it would not be taken anyway, and for how many files that counts."""
        why = self._program_files.left_out(name)
        return replace(why, files=before.files) if why is not None and before is not None else why

    def is_program_folder(self, folder: str) -> bool:
        """Whether programs keep a folder that is called so for themselves."""
        return self._program_files.has_folder(folder)

    def needs_look(self, name: str) -> bool:
        """Whether only the content says if a file of this name is taken."""
        return format_of(name) is None and _ending(name) not in KINDS

    def left_out(self, name: str, head: bytes | None = None) -> LeftOutFile | None:
        """Why a file is not taken; None if it is. `head` is the beginning of its content (plain_text.HEAD bytes):
        without it, a file whose name says nothing is taken."""
        format = format_of(name)
        if format is not None:
            return None if format.name in self._allowed else _not_allowed(format.name)
        ending = _ending(name)
        kind = KINDS.get(ending)
        if kind is not None:
            return LeftOutFile(one=kind.one, many=kind.many, reason=kind.remedy, ending=ending)
        if head is None:
            return None
        if not head:
            return empty(name)
        found = format_of_content(head)
        if found is None:
            return _no_text(ending, head)
        return None if found.name in self._allowed else _not_allowed(found.name)


def _not_allowed(format: str) -> LeftOutFile:
    what = "plain text file" if format == TEXT.name else f"{format} file"
    return LeftOutFile(
        one=what,
        many=f"{what}s",
        reason=f"The setting allowed_formats does not name {format}: add it there to have them read.",
    )


def empty(name: str) -> LeftOutFile:
    """Of a file without a byte, whatever it is called: packages of Python are full of them."""
    reason = "There is nothing in it: if something should be, write it again."
    return LeftOutFile(one="empty file", many="empty files", reason=reason, ending=_ending(name))


def _no_text(ending: str, head: bytes) -> LeftOutFile:
    kind = binary_kind(head)
    reason = (
        f"Its content is {kind}, under a name that does not say so: export it as text or PDF."
        if kind
        else "Its content is no text: export it as text or PDF."
    )
    return LeftOutFile(one="binary file", many="binary files", reason=reason, ending=ending)


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
