"""The check of the docs' English: what it finds, and what it says where it cannot run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.prose.__main__ import main

needs_vale = pytest.mark.skipif(
    not (shutil.which("go") and (shutil.which("cc") or shutil.which("gcc") or shutil.which("clang"))),
    reason="Vale is built with Go and a C compiler. Install both with your system.",
)


@pytest.mark.prove
@pytest.mark.slow
@needs_vale
@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("Wanted are 3 × and 0.4 ×: both are reached on the quick machine.", "ragbase.Inverted"),
        ("Who used up a limit gets 429 with Retry-After.", "ragbase.Inverted"),
        ("It stays for whoever asks.", "ragbase.Riddles"),
        (f"The function {'reads one page and then '.join(['', *[''] * 9])}ends.", "ragbase.LongSentence"),
        ("The setting is very useful.", "write-good.Weasel"),
    ],
)
def test_what_reads_badly_is_named(sentence: str, rule: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Limits\n\n{sentence}\n", encoding="utf-8")

    assert main([str(page)]) == 1
    assert rule in capfd.readouterr().out


@pytest.mark.prove
@pytest.mark.slow
@needs_vale
def test_plain_english_passes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Limits\n\nThe targets are 3× and 0.4×. Fast machines meet both. Many requests get 429.\n\n"
        "    Wanted are examples of code, which only a few read.\n",
        encoding="utf-8",
    )

    assert main([str(page)]) == 0
    assert capfd.readouterr().out == ""


def test_without_go_it_says_what_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert main([]) == 0
    assert "left out: the English of the docs" in capsys.readouterr().out
