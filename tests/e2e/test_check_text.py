"""No word of this repository's own files is lost or doubled: those of its documentation, of its fixtures, and of office
documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check_text.__main__ import is_fault
from tests.check_text.check_file import check_file
from tests.office_documents import DOCUMENTS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("docs", "tests/data", "terraform", "requirements", "functions")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and not any(part.startswith((".", "__")) for part in path.relative_to(ROOT).parts)
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "suffix",
    [
        pytest.param(suffix, marks=pytest.mark.prove if suffix == ".pdf" else [])  # it takes as long as all others
        for suffix in sorted({path.suffix for path in FILES})
    ],
)
def test_the_files_of_this_repository_keep_their_words(suffix: str) -> None:
    checked = [check_file(path) for path in FILES if path.suffix == suffix]
    assert [(one.path.name, one.lost, one.doubled) for one in checked if is_fault(one)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_office_documents_keep_their_words(name: str, tmp_path: Path) -> None:
    file = tmp_path / f"document.{name}"
    file.write_bytes(DOCUMENTS[name])
    checked = check_file(file)
    assert not checked.refused
    assert (checked.lost, checked.doubled) == ((), ())
