"""Which objects of a bucket become no documents, by their names alone."""

from __future__ import annotations

from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.program_files import ProgramFiles


def no_document(name: str, program_files: ProgramFiles) -> LeftOutFile | None:
    """Why an object of this name becomes no document; None if it becomes one."""
    return folder_with_content(name) if name.endswith("/") else program_files.left_out(name)


def folder_with_content(name: str) -> LeftOutFile:
    """Of an object that shows a folder, and that has bytes nevertheless: no file system could hold both."""
    return LeftOutFile(
        one="folder with content of its own",
        many="folders with content of their own",
        reason="A name that ends with a slash is a folder's: store the content under a name without it.",
        ending=name,
    )
