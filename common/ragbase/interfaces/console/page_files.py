"""The files of the page, and the version that is in their addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from posixpath import dirname, join, normpath
from string import Template

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"

_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".LICENSE": "text/plain",
}


@dataclass(frozen=True, slots=True)
class PageFile:
    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """`version` changes with every byte of every file: what has it in its address never changes. `index` is the page
    itself, but for the settings in it, and `files` are all others, by their paths."""

    version: str
    index: Template
    files: Mapping[str, PageFile]

    def index_with(self, program_files: Sequence[str]) -> bytes:
        """The page, which leaves out these of the files that somebody drops (domain/program_files.py)."""
        return self.index.substitute(program_files=escape(json.dumps(program_files))).encode()


@cache
def page() -> ConsolePage:
    files = {
        path.relative_to(FOLDER).as_posix(): PageFile(path.read_bytes(), _TYPES[path.suffix])
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in _TYPES
    }
    index = (FOLDER / INDEX).read_text(encoding="utf-8")
    digest = sha256(index.encode())
    for name, file in files.items():
        digest.update(b"%s\0%d\0%s" % (name.encode(), len(file.body), file.body))
    version = digest.hexdigest()[:16]
    shown = Template(index).safe_substitute(version=version, modules=_preloads(version, files))
    return ConsolePage(version, Template(shown), files)


_IMPORTED = re.compile(r'\bfrom ?"(\.[^"]+)"')
"""What a module needs before it runs. What it loads later is an import() inside of it."""


def _preloads(version: str, files: Mapping[str, PageFile]) -> str:
    """Without these lines, a browser finds each module only in the one that imports it, one after the other. The
    views that come later are not among them."""
    found, waiting = dict[str, None](), ["main.js"]
    while waiting:
        name = waiting.pop()
        if name in found or name not in files:
            continue
        found[name] = None
        text = files[name].body.decode()
        waiting += [normpath(join(dirname(name), imported)) for imported in _IMPORTED.findall(text)]
    return "\n".join(f'<link rel="modulepreload" href="console/{version}/{name}">' for name in sorted(found))
