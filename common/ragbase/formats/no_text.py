"""Endings of names that no text has: such files are known without a look at their content."""

from __future__ import annotations

from typing import NamedTuple


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
"""By the ending of a name."""
