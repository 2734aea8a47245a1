"""A condition on front matter as it is typed."""

from __future__ import annotations

from datetime import date

import click
import pytest

from ragbase.domain.condition import Condition
from ragbase.interfaces.cli.typed_condition import typed_condition


@pytest.mark.parametrize(
    ("typed", "condition"),
    [
        ("author=Ann Lee", Condition(key="author", equals="Ann Lee")),
        (" author = Ann ", Condition(key="author", equals="Ann")),
        ("formula=a=b", Condition(key="formula", equals="a=b")),
        ("weight=3", Condition(key="weight", equals=3.0)),
        ('weight="3"', Condition(key="weight", equals="3")),
        ("draft=true", Condition(key="draft", equals="true")),
        ("updated=2024-01-31", Condition(key="updated", equals="2024-01-31")),
        ("weight=-3..4.5", Condition(key="weight", at_least=-3.0, at_most=4.5)),
        ("weight=3..", Condition(key="weight", at_least=3.0)),
        ("weight=..3", Condition(key="weight", at_most=3.0)),
        ("updated=2024-01-31..", Condition(key="updated", at_least=date(2024, 1, 31))),
        ('span="1..2"', Condition(key="span", equals="1..2")),
        ("path=a..b", Condition(key="path", equals="a..b")),
        ("wait=..", Condition(key="wait", equals="..")),
    ],
)
def test_what_looks_like_a_number_or_a_range_is_one(typed: str, condition: Condition) -> None:
    assert typed_condition(typed) == condition


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("author", "no `=`"),
        ("=Ann", "a key has 1 to 60 characters"),
        ("author=", "a text has 1 to 200 characters"),
        ("k=1..2024-01-31", "both ends of a range"),
    ],
)
def test_what_is_no_condition_is_refused_with_the_remedy(typed: str, why: str) -> None:
    with pytest.raises(click.BadParameter, match=why) as refused:
        typed_condition(typed)
    assert "Write KEY=VALUE, or KEY=FROM..TO" in str(refused.value)
