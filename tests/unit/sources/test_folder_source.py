"""A folder as a source, while somebody else changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.domain.errors import UnreadableFile
from ragbase.ports import SourceEntry
from ragbase.sources.folder_source import FolderSource


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("docs/sub/a.md", "public"), ("private/a.md", "secret")):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "docs"


def listed(source: FolderSource) -> SourceEntry:
    (entry,) = source.entries()
    return entry


@pytest.mark.parametrize("swapped", ["sub", "sub/a.md"])
def test_what_has_become_a_link_since_it_was_listed_is_not_read(folder: Path, swapped: str) -> None:
    source = FolderSource(folder)
    entry = listed(source)
    assert b"".join(source.read(entry)) == b"public"
    (folder / swapped).rename(folder / "moved")
    (folder / swapped).symlink_to(folder.parent / "private" / ("a.md" if swapped.endswith(".md") else ""))
    with pytest.raises(UnreadableFile, match="leads out of the folder"):
        b"".join(source.read(entry))


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    (folder.parent / "alias").symlink_to("docs")
    source = FolderSource(folder.parent / "alias")
    assert b"".join(source.read(listed(source))) == b"public"


def test_links_are_followed_if_the_user_says_so(folder: Path) -> None:
    (folder / "sub" / "a.md").unlink()
    (folder / "sub" / "a.md").symlink_to(folder.parent / "private" / "a.md")
    source = FolderSource(folder, follow_links=True)
    assert b"".join(source.read(listed(source))) == b"secret"
