"""What the pages on changes, stability and decisions say is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragbase.adapters.embedded.schema import SCHEMA
from ragbase.version import NUMBER
from scripts.make_release import changes_of

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
STABILITY = (ROOT / "docs" / "stability.md").read_text(encoding="utf-8")
DECISIONS = ROOT / "docs" / "decisions"


def test_the_changelog_has_the_form_that_it_names() -> None:
    versions = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert versions[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d", version) for version in versions[1:])
    kinds = set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Stored data"}


def test_what_is_released_stands_below_its_number() -> None:
    """The commit of a release has no other entries, so a change that comes later needs the next number."""
    released = re.findall(r"^## (\d\S*) –", CHANGELOG, re.MULTILINE)
    if NUMBER.endswith(".dev0"):
        assert NUMBER.removesuffix(".dev0") not in released
    else:
        assert released[:1] == [NUMBER] and changes_of("Unreleased", CHANGELOG) == ""


def test_the_format_is_that_of_the_code() -> None:
    assert f"has format {len(SCHEMA)}," in STABILITY and f"data folder is {len(SCHEMA)}." in CHANGELOG


@pytest.mark.parametrize("readme", sorted((ROOT / "examples").rglob("README.md")), ids=str)
def test_what_explains_an_example_is_short(readme: Path) -> None:
    assert len(readme.read_text(encoding="utf-8").splitlines()) <= 30


def test_each_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    pages = {file.relative_to(ROOT / "docs").as_posix() for file in (ROOT / "docs").rglob("*.md")}
    assert len(pages) > 40
    assert pages - set(re.findall(r"(\S+\.md)$", navigation, re.MULTILINE)) == set()


def test_each_decision_is_listed_and_short() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    pages = sorted(DECISIONS.glob("0*.md"))
    assert re.findall(r"\]\((0.*?)\)", index) == [page.name for page in pages]
    for number, page in enumerate(pages, start=1):
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {number}. "), page
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Consequences"], page
        assert len(text.splitlines()) <= 60, page
