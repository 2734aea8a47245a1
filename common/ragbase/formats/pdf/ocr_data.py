"""The data of the languages that OCR reads: one file each, which Tesseract calls CODE.traineddata.

`python -m ragbase.formats.pdf.ocr_data` downloads those of English and Vietnamese; without it, that happens when they
are first needed. Not every machine reaches every place, so one is tried after the other. Whatever is downloaded counts
only if its sha256 is the right one. The user puts the files of other languages into the folder.
"""

from __future__ import annotations

import gzip
import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ragbase.domain.errors import ErrorCode, PermanentError, RagbaseError

OFFICIAL = {
    "eng": "5dc5d8d640a212c9d6184921ba103b186f50e0fed9ee716c53e6b312b400d747",
    "vie": "112f6fd1d04ab4cb0208cad9cada8de214ae33a1e4db3750ffcda69262aef0a8",
}
"""The languages whose data is downloaded, and its sha256."""

PACKAGE = "@tesseract.js-data/{code}@1.0.0"
MEMBER = "4.0.0_best_int/{code}.traineddata.gz"
"""The packages that tesseract.js reads its data from, and the exact but quick kind of data in them."""
CDN = "https://cdn.jsdelivr.net/npm"
READABLE = 0o644
PATIENCE = 60.0
"""Seconds to wait for the next bytes, or for npm."""

CODES = {
    "ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa",
    "et": "est", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun", "id": "ind",
    "it": "ita", "ja": "jpn", "km": "khm", "ko": "kor", "lo": "lao", "lt": "lit", "lv": "lav", "ms": "msa", "my": "mya",
    "nl": "nld", "no": "nor", "pl": "pol", "pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp",
    "sv": "swe", "th": "tha", "tl": "tgl", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "chi_sim",
}  # fmt: skip
"""The names of languages (ISO 639-1) as Tesseract has them. Every other name is taken for one of Tesseract's."""


class _Unavailable(Exception):
    """This way does not lead to the data. The text says why, on one line."""


def folder_in(models: Path) -> Path:
    """The folder of the data, among other models."""
    return models / "tessdata"


def is_installed() -> bool:
    """Whether the library that recognises words is there: the extra `ocr`."""
    return find_spec("tesserocr") is not None


def codes_of(languages: Sequence[str]) -> list[str]:
    """Tesseract's names of the languages, once each. English is the last: the data of others knows its letters, but the
    data of English takes the marks of others away."""
    codes = dict.fromkeys(CODES.get(language, language) for language in languages)
    return sorted(codes, key=lambda code: code == "eng")


def are_prepared(languages: Sequence[str], folder: Path) -> bool:
    return all(_file(code, folder).is_file() for code in codes_of(languages))


def prepare(languages: Sequence[str], folder: Path) -> list[Path]:
    """Make sure that the data of the languages is in the folder, and return its files. Raises PermanentError
    (OCR_FAILED) if it cannot be had."""
    files = {code: _file(code, folder) for code in codes_of(languages)}
    for code, file in files.items():
        if file.is_file():
            continue
        if code not in OFFICIAL:
            raise _missing(code, file, "It is in github.com/tesseract-ocr/tessdata_fast")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(file, _download(code, file))
        except OSError as error:
            raise _missing(code, file, f"The folder cannot be written ({error.strerror})") from error
    return list(files.values())


def _file(code: str, folder: Path) -> Path:
    return folder / f"{code}.traineddata"


def _missing(code: str, file: Path, why: str) -> PermanentError:
    return PermanentError(
        ErrorCode.OCR_FAILED,
        f"OCR has no data of the language {code}. {why}. Put the file {file.name} into the folder {file.parent} "
        "(the setting model_folder says where that is) and retry the document, or upload it with other ocrLanguages.",
    )


def _download(code: str, file: Path) -> bytes:
    failures = []
    for way in (_from_npm, _from_cdn):
        try:
            data = gzip.decompress(way(code))
        except (_Unavailable, OSError, EOFError, zlib.error) as failure:
            failures.append(f"{way.__doc__} ({failure})")
            continue
        if hashlib.sha256(data).hexdigest() == OFFICIAL[code]:
            return data
        failures.append(f"{way.__doc__} (another checksum)")
    raise _missing(code, file, f"It could not be downloaded from {' or '.join(failures)}")


def _from_npm(code: str) -> bytes:
    """npm"""
    npm = shutil.which("npm")
    if npm is None:
        raise _Unavailable("it is not installed")
    with tempfile.TemporaryDirectory(prefix="ragbase-ocr-") as folder:
        package = PACKAGE.format(code=code)
        try:
            subprocess.run(  # noqa: S603 - only constants
                [npm, "pack", "--silent", package], cwd=folder, capture_output=True, check=True, timeout=PATIENCE
            )
        except (subprocess.SubprocessError, OSError) as error:
            raise _Unavailable(f"{package} cannot be had") from error
        archives = list(Path(folder).glob("*.tgz"))
        if not archives:
            raise _Unavailable(f"{package} is empty")
        with tarfile.open(archives[0]) as archive:
            try:
                member = archive.extractfile(f"package/{MEMBER.format(code=code)}")
            except KeyError:
                member = None
            if member is None:
                raise _Unavailable(f"{package} has other files")
            return member.read()


def _from_cdn(code: str) -> bytes:
    """jsDelivr"""
    url = f"{CDN}/{PACKAGE.format(code=code)}/{MEMBER.format(code=code)}"
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:  # noqa: S310 - a constant address
            data: bytes = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise _Unavailable(str(getattr(error, "reason", error))) from error
    return data


def _write(file: Path, data: bytes) -> None:
    """Whole or not at all: another process may be about to read it."""
    with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as new:
        new.write(data)
    os.chmod(new.name, READABLE)  # noqa: PTH101 - a temporary file is its writer's alone
    os.replace(new.name, file)  # noqa: PTH105 - atomic on every system


if __name__ == "__main__":
    from ragbase.config import load_config

    try:
        prepare(tuple(OFFICIAL), folder_in(load_config().model_folder))
    except RagbaseError as error:
        sys.exit(str(error))
