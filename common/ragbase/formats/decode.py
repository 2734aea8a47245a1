"""The text of a file in whatever encoding it was saved. Line ends stay as they are, so that offsets are the file's."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.signatures import EXPORT_REMEDY

if TYPE_CHECKING:
    from ragbase.formats.guess_encoding import Guess
    from ragbase.formats.mixed_encodings import OtherEncoding

BYTE_ORDER_MARKS = (  # UTF-32 before UTF-16, whose mark begins alike
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
JAPANESE_ESCAPES = (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I")
"""How ISO-2022-JP switches its character sets. All its bytes are ASCII, so that it is valid UTF-8, too."""

CONTROL = [chr(code) for code in (*range(9), *range(14, 27), *range(28, 32), *range(0x7F, 0x85), *range(0x86, 0xA0))]
"""Control characters that no text has. White space, the escape of a coloured log and NEL (a line end) may be."""

MAX_CONTROL = 0.01
"""Share of NUL or, where the encoding is guessed, of control characters above which the content is no text; a single
NUL is always one too few. Of random bytes read in a one-byte encoding it is about 0.2."""

REPLACEMENT = "\ufffd"
BLOCK = 1024 * 1024
"""Bytes."""

NUL_STAND_IN = "\x1a"
"""SUBSTITUTE (ASCII 26), which says that a character was invalid."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file. `notes` say, for a person, what is doubtful or damaged in it."""

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """The text without its byte order mark: by that mark, else ISO-2022-JP by its escapes, else strict UTF-8, else
    UTF-8 with others in it (mixed_encodings.py), else as `guess_encoding` finds. NUL, which databases refuse, and what
    cannot be read become U+FFFD.

    Raises PermanentError: CORRUPT_FILE where the content contradicts its mark, UNSUPPORTED_FORMAT where it is no text,
    or where no encoding makes sense of it.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    text = _japanese(data)
    if text is not None:
        return _without_nul(text)
    if data.count(b"\0") <= max(1, MAX_CONTROL * len(data)):
        decoded = _utf8(data)
        if decoded is not None:
            return decoded
    return _guessed(data)


@dataclass(frozen=True, slots=True)
class FileEncoding:
    """The encoding of a file, and that of lines that are not in it. `notes` are as those of Decoded."""

    name: str
    others: OtherEncoding | None = None
    notes: tuple[str, ...] = ()


def encoding_of(file: BinaryIO) -> FileEncoding:
    """The encoding of a file that may be larger than the memory. Reads it all, and goes back.

    Raises PermanentError (UNSUPPORTED_FORMAT) if it is no text.
    """
    file.seek(0)
    first = block = file.read(BLOCK)
    utf8 = codecs.getincrementaldecoder("utf-8")()
    is_utf8 = False
    others = guess = None
    try:
        while block:
            utf8.decode(block)
            is_utf8 = is_utf8 or not block.isascii()
            block = file.read(BLOCK)
        utf8.decode(b"", final=True)
    except UnicodeDecodeError:
        from ragbase.formats.guess_encoding import guess_encoding
        from ragbase.formats.mixed_encodings import other_encoding

        others = other_encoding(block, is_utf8=is_utf8)
        guess = guess_encoding(block) if others is None else None
    else:
        block = b""
    finally:
        file.seek(0)
    for mark, encoding in BYTE_ORDER_MARKS:
        if first.startswith(mark):
            return FileEncoding("utf-8" if mark == codecs.BOM_UTF8 else encoding.rpartition("-")[0], others)
    if first.isascii() and _japanese(first) is not None:
        return FileEncoding("iso2022_jp_ext")
    if not block:
        return FileEncoding("utf-8")
    if others is not None:
        name = others.name or "damaged UTF-8"
        return FileEncoding("utf-8", others, (f"Lines that are not in UTF-8 like the rest are read as {name}.",))
    if guess is None or guess.garbled:
        raise _not_text()
    return FileEncoding(guess.encoding, notes=() if guess.sure else (_doubt(guess),))


def beginning(data: bytes, size: int) -> str:
    """The text of the first `size` bytes, for a look at its form: characters beyond ASCII may be wrong."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) : len(mark) + size].decode(encoding, "replace")
    return data[:size].decode("utf-8", "replace")


def _utf8(data: bytes) -> Decoded | None:
    """None if no part of it is in UTF-8."""
    try:
        return _without_nul(data.decode("utf-8"))
    except UnicodeDecodeError:
        from ragbase.formats.mixed_encodings import read_mixed  # most texts are in UTF-8, and do not need it

        mixed = read_mixed(data)
        return _without_nul(mixed.text, *mixed.notes) if mixed is not None else None


def _marked(data: bytes, encoding: str) -> Decoded:
    if encoding == "utf-8" and (decoded := _utf8(data)) is not None:
        return decoded
    try:
        return _without_nul(data.decode(encoding))
    except UnicodeDecodeError as error:
        raise PermanentError(
            ErrorCode.CORRUPT_FILE,
            f"The file begins as {encoding.upper()}, but byte {error.start} is not valid in it. "
            "Save the file again as UTF-8 and upload it.",
        ) from error


def _japanese(data: bytes) -> str | None:
    if b"\x1b" in data and data.isascii() and any(escape in data for escape in JAPANESE_ESCAPES):
        try:
            return data.decode("iso2022_jp_ext")
        except UnicodeDecodeError:  # a terminal's log, which has other escapes
            return None
    return None


def _without_nul(text: str, *notes: str) -> Decoded:
    nul = text.count("\0")
    if nul > max(1, MAX_CONTROL * len(text)):
        raise _not_text()
    if nul:
        notes = (*notes, f"{nul} NUL character{'s' if nul > 1 else ''}, shown as U+FFFD.")
    return Decoded(text.replace("\0", REPLACEMENT), notes)


def _guessed(data: bytes) -> Decoded:
    from ragbase.formats.guess_encoding import decode_as

    for guess, guessed in _guesses(data):
        text = decode_as(guessed, guess.encoding)
        if sum(map(text.count, CONTROL)) + text.count(REPLACEMENT) > MAX_CONTROL * len(text):
            continue
        if guess.garbled:
            raise PermanentError(
                ErrorCode.UNSUPPORTED_FORMAT,
                "The file's encoding is not known: in no known one its text makes sense. Save it again as UTF-8.",
            )
        return _without_nul(text.replace(NUL_STAND_IN, "\0"), *(() if guess.sure else (_doubt(guess),)))
    raise _not_text()


def _doubt(guess: Guess) -> str:
    return f"The encoding is not certain: read as {guess.encoding}. If the text is wrong, save the file as UTF-8."


def _guesses(data: bytes) -> Iterator[tuple[Guess, bytes]]:
    """chardet takes a NUL for the mark of a binary file, so that a text with a few of them is shown without."""
    from ragbase.formats.guess_encoding import guess_encoding, guess_utf16

    guess = guess_encoding(data)
    if guess is not None:
        yield guess, data
    elif b"\0" in data:
        replaced = data.replace(b"\0", NUL_STAND_IN.encode())
        guess = guess_encoding(replaced)
        if guess is not None:
            yield guess, replaced
        guess = guess_utf16(data)
        if guess is not None:
            yield guess, data


def _not_text() -> PermanentError:
    return PermanentError(
        ErrorCode.UNSUPPORTED_FORMAT, f"The file is named as text, but its content is binary data. {EXPORT_REMEDY}"
    )
