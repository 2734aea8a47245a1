"""A condition on front matter, its facts and its judgement agree."""

from __future__ import annotations

import math
from datetime import date
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ragbase.domain.condition import Condition, facts_of
from ragbase.domain.metadata import MAX_KEY, MAX_VALUE

SAID = (
    ("author", "Ann  Lee"),
    ("weight", "3"),
    ("weight", "-1.50"),
    ("version", "1.10"),
    ("updated", "2024-02-29T23:00:00-05:00"),
    ("month", "2024-03"),
    ("year", "2024"),
    ("draft", "True"),
    ("build", "9.10.2"),
    ("never", "2024-02-31"),
)


@pytest.mark.parametrize(
    ("asked", "is_met"),
    [
        ({"key": "author", "equals": "ann lee"}, True),
        ({"key": " AUTHOR ", "equals": " ANN lee "}, True),
        ({"key": "author", "equals": "ann"}, False),
        ({"key": "editor", "equals": "ann lee"}, False),
        ({"key": "weight", "equals": 3}, True),
        ({"key": "weight", "equals": 3.0}, True),
        ({"key": "weight", "equals": "3"}, True),
        ({"key": "weight", "equals": "3.0"}, False),
        ({"key": "weight", "equals": -1.5}, True),
        ({"key": "weight", "at_least": 2, "at_most": 3}, True),
        ({"key": "weight", "at_least": -1, "at_most": 2}, False),
        ({"key": "weight", "at_most": -1.5}, True),
        ({"key": "weight", "at_least": 3.01}, False),
        ({"key": "version", "equals": 1.1}, True),
        ({"key": "version", "at_least": 1.1, "at_most": 1.1}, True),
        ({"key": "updated", "equals": date(2024, 2, 29)}, True),
        ({"key": "updated", "equals": "2024-02-29"}, True),
        ({"key": "updated", "at_least": date(2024, 2, 29)}, True),
        ({"key": "updated", "at_least": date(2024, 3, 1)}, False),
        ({"key": "updated", "at_least": 0}, False),
        ({"key": "month", "equals": date(2024, 3, 1)}, True),
        ({"key": "year", "equals": 2024}, True),
        ({"key": "year", "at_least": date(2023, 1, 1)}, False),
        ({"key": "weight", "at_least": 4, "at_most": 2}, False),
        ({"key": "draft", "equals": True}, True),
        ({"key": "draft", "equals": False}, False),
        ({"key": "build", "at_least": 9}, False),
        ({"key": "build", "equals": "9.10.2"}, True),
        ({"key": "never", "at_least": date(1, 1, 1)}, False),
    ],
)
def test_a_condition_is_met_by_a_value_of_its_key_that_is_of_its_kind(asked: dict[str, Any], is_met: bool) -> None:
    condition = Condition(**asked)
    assert condition.is_met_by(SAID) is is_met
    facts = {fact for key, text in SAID for fact in facts_of(key, text)}
    assert bool(facts.intersection(condition.facts)) is is_met


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"key": " ", "equals": 1}, "a key has 1 to 60 characters"),
        ({"key": "k" * (MAX_KEY + 1), "equals": 1}, "a key has 1 to 60 characters"),
        ({"key": "k"}, "either what the key equals, or"),
        ({"key": "k", "equals": 1, "at_most": 2}, "either what the key equals, or"),
        ({"key": "k", "equals": ""}, "a text has 1 to 200 characters"),
        ({"key": "k", "equals": "x" * (MAX_VALUE + 1)}, "a text has 1 to 200 characters"),
        ({"key": "k", "at_least": math.nan}, "finite"),
        ({"key": "k", "equals": -math.inf}, "finite"),
        ({"key": "k", "equals": 10**400}, "finite"),
        ({"key": "k", "at_least": 1, "at_most": date(2024, 1, 1)}, "both ends"),
    ],
)
def test_a_condition_that_says_nothing_clear_is_refused(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Condition(**asked)


numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**7), 10**7).map(float)
days = st.dates()


@given(numbers, numbers, numbers)
def test_a_number_within_a_range_has_a_fact_of_it(low: float, number: float, high: float) -> None:
    low, number, high = sorted((low, number, high))
    facts = set(facts_of("k", repr(number)))
    for condition in (
        Condition(key="k", at_least=low, at_most=high),
        Condition(key="k", at_least=low),
        Condition(key="k", at_most=high),
        Condition(key="k", equals=number),
    ):
        assert condition.is_met_by([("k", repr(number))])
        assert facts.intersection(condition.facts)
        assert len(condition.facts) <= 280  # 15 steps of each size at both ends


@given(st.integers(-(2**24), 2**24), st.integers(-(2**24), 2**24), st.integers(-(2**24), 2**24))
def test_whole_numbers_outside_of_a_range_have_no_fact_of_it(low: int, high: int, number: int) -> None:
    low, high = sorted((low, high))
    assume(not low <= number <= high)
    assert not set(facts_of("k", str(number))).intersection(Condition(key="k", at_least=low, at_most=high).facts)


@given(days, days, days)
def test_the_facts_of_days_are_exact(low: date, high: date, day: date) -> None:
    low, high = sorted((low, high))
    found = set(facts_of("k", day.isoformat())).intersection(Condition(key="k", at_least=low, at_most=high).facts)
    assert bool(found) is (low <= day <= high)
