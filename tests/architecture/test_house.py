"""Rules of the house that no linter knows."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked(*patterns: str) -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


def test_functions_only_decode_call_and_encode() -> None:
    mains = tracked("functions/*/main.py")
    assert len(mains) >= 4
    for main in mains:
        assert len(main.read_text(encoding="utf-8").splitlines()) <= 40, main


def test_files_do_one_thing() -> None:
    for file in tracked("common/**/*.py"):
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 300, file


def test_lock_files_hold_no_address() -> None:
    locks = tracked("requirements/*.txt")
    assert locks
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert "://" not in text and " @ " not in text, lock
        assert "--hash=sha256:" in text, lock


def test_nothing_large_is_committed() -> None:
    for file in tracked():
        assert file.stat().st_size <= 200 * 1024, file
