"""docs/limits.md has every limit of domain/limits.py, and each of its values is that of the code."""

from __future__ import annotations

import importlib
import re
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import pytest

from ragbase.domain import limits

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
CITED = re.compile(r"`([\w/]+)\.py: ([\w.]+)`")
ROWS = [(cells[2], cells[-2]) for line in PAGE.splitlines() if CITED.search(line) and (cells := line.split("|"))]
LIMITS = [(shown, *cited) for shown, source in ROWS for cited in CITED.findall(source)]


def value_of(module: ModuleType, name: str) -> object:
    """A constant of a module, or the default of a dataclass's field."""
    constant, _, field = name.partition(".")
    value: object = getattr(module, constant)
    return getattr(value(), field) if isinstance(value, type) else value


def written(value: object) -> set[str]:
    """How a page may write a value. A plain number may have any unit, the others have theirs."""
    if isinstance(value, timedelta):
        return {f"{value / timedelta(hours=1):g} h", f"{value.days} days"}
    assert isinstance(value, int | float)
    sizes = {f"{value / 1024**power:g} {unit}" for power, unit in enumerate(("KB", "MB", "GB"), start=1)}
    return {f"{value:,}", f"{value:g}", f"{value:.0%}".replace("%", " %"), *sizes}


@pytest.mark.parametrize(("shown", "file", "name"), LIMITS, ids=lambda part: part.strip().replace(" ", "-"))
def test_a_value_is_that_of_the_code(shown: str, file: str, name: str) -> None:
    value = value_of(importlib.import_module(f"ragbase.{file.replace('/', '.')}"), name)
    assert any(re.search(rf"(?<![\d.,]){re.escape(one)}(?![\d.]|,\d)", shown) for one in written(value)), value


def test_every_limit_is_on_the_page() -> None:
    named = {name for _, file, name in LIMITS if file == "domain/limits"}
    assert named == {name for name in vars(limits) if name.isupper()}
