"""Say why a file that somebody names is not taken from its folder or from another source."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ragbase.bootstrap.sources import open_source
from ragbase.domain.errors import RagbaseError
from ragbase.domain.name_forms import nfc
from ragbase.formats.file_selection import FileSelection
from ragbase.formats.plain_text import HEAD
from ragbase.sources.expand import left_out as left_out_of_folder

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.left_out import LeftOutFile
    from ragbase.ports import DocumentSource, SourceEntry

_MOST = 100
"""Names that are looked at: those between the beginning of a name and the name itself."""


def left_out(identifier: str, profile: Profile) -> LeftOutFile | None:
    """`identifier` is a path of this machine, or the address of a file in a bucket. None if the file would be taken, or
    if there is none."""
    selection = FileSelection(profile.extractor.allowed, profile.program_files)
    if "://" not in identifier:
        return left_out_of_folder(identifier, selection)
    address, _, name = identifier.rpartition("/")
    try:
        source = open_source(address, profile.config, profile.bucket, profile.bucket_folder)
        try:
            return _left_out_of_source(source, name, selection)
        finally:
            source.close()
    except RagbaseError:
        return None  # who syncs it is told


def _left_out_of_source(source: DocumentSource, name: str, selection: FileSelection) -> LeftOutFile | None:
    """Only of a source that can be asked for one name."""
    if not source.in_order or not name:
        return None
    entries = islice(source.entries(after=name[:-1]), _MOST)
    entry = next((entry for entry in entries if nfc(entry.name) == nfc(name)), None)
    if entry is None:
        return None
    why = selection.program_file(source.root + name, entry.left_out) or entry.left_out
    if why is not None:
        return why
    return selection.left_out(name, _head(source, entry) if selection.needs_look(name) else None)


def _head(source: DocumentSource, entry: SourceEntry) -> bytes:
    head = b""
    for block in source.read(entry):
        head += block
        if len(head) >= HEAD:
            break
    return head[:HEAD]
