"""The figures of docs/comparison.md are those of the pages that it links to."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
FIGURES = {
    "ranking.md": (".431", ".427", ".418", ".402"),
    "measurements.md": ("3.3×", "0.41×"),
    "limits.md": ("50 MB",),
}


@pytest.mark.parametrize(("page", "figure"), [(page, figure) for page, all in FIGURES.items() for figure in all])
def test_a_figure_is_that_of_its_page(page: str, figure: str) -> None:
    assert figure in (DOCS / "comparison.md").read_text(encoding="utf-8")
    assert figure in (DOCS / page).read_text(encoding="utf-8")
