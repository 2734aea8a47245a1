"""Which names programs keep for themselves, and which only look so."""

from __future__ import annotations

import pytest

from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.no_document import no_document
from ragbase.domain.program_files import PATTERNS, ProgramFiles

OWN = (
    *("~$report.docx", "~$Report.DOCX", ".~lock.report.odt#", "plan.dwl", "staff.laccdb"),
    *("x~", "#x#", ".#x", ".x.swp", "x.swp", "~WRL0001.tmp", "drawing.~vsdx", ".nfs0001"),
    *("film.part", "film.crdownload", "film.partial", "~syncthing~a.md.tmp", ".syncthing.a.md.tmp"),
    *("Thumbs.db", "THUMBS.DB", "desktop.ini", "Desktop.ini", ".DS_Store", "._a.md", "Icon\r", ".directory"),
    *("__MACOSX/a.md", "docs/__MACOSX/deep/a.md", "$RECYCLE.BIN/S-1/a.md", "$Recycle.Bin/a.md"),
    *("System Volume Information/a.md", "lost+found/a.md", "@eaDir/a.md", ".Trash-1000/files/a.md", "#recycle/a.md"),
)
USERS = (
    *("notes~draft.md", "a#b.md", "#a.md", "a.md#", "part.md", "chapter.part.pdf", "a.parts", "~a.md", "swp.md"),
    *("thumbs.db.md", "desktop.ini.md", "my desktop.ini", "lost+found.md", "lost+found", "eaDir/a.md", "MACOSX/a.md"),
    *("x~/a.md", "#x#/a.md", "film.part/a.md", "Thumbs.db/a.md", "~$x/a.md", "found+lost/a.md", "trash/a.md"),
    *("a.tmp", "a.bak", "a.old", "Recovery/a.md", "a.lnk", ".github/a.md", ".well-known", "Temporary Items/a.md"),
)


@pytest.mark.parametrize("name", OWN)
def test_names_that_programs_keep_for_themselves(name: str) -> None:
    left_out = ProgramFiles().left_out(f"share/{name}")
    assert left_out is not None and left_out.many == "programs' own files" and left_out.ending.rstrip("/") in name
    refusal = ProgramFiles().refusal(name) or ""
    assert name in refusal.replace("\\r", "\r") and "setting program_files" in refusal


@pytest.mark.parametrize("name", USERS)
def test_names_that_only_look_so(name: str) -> None:
    files = ProgramFiles()
    assert not files.has(name) and files.left_out(name) is None and files.refusal(name) is None


def test_the_setting_adds_and_takes_away() -> None:
    files = ProgramFiles("*.bak, cache/ ,!*.part,!@eaDir/,!draft-*")
    assert all(map(files.has, ("a.bak", "A.BAK", "cache/a.md", "Thumbs.db")))
    assert not any(map(files.has, ("a.part", "@eaDir/a.md", "cache", "x.bak/a.md", "draft-a.bak", "draft-~")))
    assert ProgramFiles("!*,!*/").left_out("$RECYCLE.BIN/~$a.docx") is None
    assert "add !cache/ to" in (files.refusal("cache/a.md") or "")


@pytest.mark.parametrize("setting", ["a/b", "/", "!", "!/", "docs/*.bak", "*.bak,!a/b/"])
def test_a_pattern_that_could_be_meant_otherwise_is_refused(setting: str) -> None:
    with pytest.raises(ConfigurationError, match="is no pattern of a file's name"):
        ProgramFiles(setting)
    with pytest.raises(ConfigurationError, match="is no pattern of a file's name"):
        load_config(environment={}, program_files=setting)


def test_every_pattern_of_ours_is_one_that_the_setting_may_have() -> None:
    files = ProgramFiles(",".join(f"!{pattern}" for pattern in PATTERNS if pattern != "Icon\r"))
    assert list(files.patterns) == ["Icon\r"]


def test_a_name_that_ends_with_a_slash_is_a_folders() -> None:
    folder = no_document("docs/", ProgramFiles())
    assert folder is not None and folder.one == "folder with content of its own" and folder.ending == "docs/"
    assert no_document("docs/a.md", ProgramFiles()) is None
