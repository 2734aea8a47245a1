"""Names of a bucket that a folder or a pattern means: those that an ingest of the same path has made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragbase.sources.expand import expand
from ragbase.sources.name_pattern import names_of

NAMES = [
    "notes/a.md",
    "notes/b.txt",
    "notes/[c].md",
    "notes/.hidden.md",
    "notes/deep/a.md",
    "notes/deep/deeper/a.md",
    "notes/deep/.git/a.md",
    "notes-2/a.md",
    "a.md",
]


@pytest.mark.parametrize(
    "path",
    [
        "notes",
        "notes/",
        "notes/deep",
        "notes/*.md",
        "notes/?.md",
        "notes/[ab].*",
        "notes/[!a].txt",
        "notes/[[]c].md",
        "notes/*",
        "notes/**",
        "notes/**/*.md",
        "**/a.md",
        "n*/deep/*/a.md",
        "notes/.h*",
        "*",
        "*.md",
    ],
)
def test_a_path_means_what_an_ingest_of_it_takes(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("text")
    taken = {os.path.normpath(file.source) for file in expand([path]).files}
    meant = {name for name in NAMES if names_of(path)(name)}
    assert taken
    if path.rstrip("/") in ("notes", "notes/deep"):  # somebody else may have uploaded a hidden one
        meant = {name for name in meant if "/." not in name}
    assert meant == taken


def test_a_path_without_a_pattern_means_what_is_below_it() -> None:
    below = names_of("notes")
    assert (below("notes/a"), below("notes"), below("notes-2/a"), below("old/notes/a")) == (True, False, False, False)
