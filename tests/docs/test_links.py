"""Links between the pages of the repository lead to a file, and to a heading of it.

The strict build of the site checks the same for the site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scripts.site.anchors import anchor
from tests.architecture.test_house import ROOT, tracked

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```$|^ {4}[^\n]*|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def links() -> Iterator[tuple[Path, str, str]]:
    for page in tracked("*.md"):
        if ROOT / "tests" in page.parents or ROOT / "common" in page.parents:
            continue  # files for the tests and for the demo, not pages
        for target in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
            if not re.match(r"[a-z]+:", target):
                file, _, heading = target.partition("#")
                yield page, file, heading


@cache
def headings(page: Path) -> frozenset[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    named = re.findall(r"^#{1,6} (.*)$", text, re.MULTILINE)
    return frozenset(anchor(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", name), "-") for name in named)


def test_a_link_leads_somewhere() -> None:
    found = list(links())
    assert len(found) > 100
    lost = []
    for page, file, heading in found:
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (heading and target.suffix == ".md" and heading not in headings(target)):
            lost.append(f"{page.relative_to(ROOT)}: {file}#{heading}")
    assert lost == []
