"""The measures are those of the textbooks, and the comparison finds what is no chance."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.evaluation.compare import paired
from ragbase.evaluation.measures import MEASURES, measured

NAMES = [f"d{number}" for number in range(30)]


def test_cases_that_are_counted_by_hand() -> None:
    values = measured(
        {"first": {"a": 1}, "third": {"a": 1, "b": 1}, "graded": {"a": 1, "b": 2}, "late": {"a": 1}, "none": {"a": 1}},
        {
            "first": ["a", "x"],
            "third": ["x", "y", "a", "z"],
            "graded": ["a", "b"],
            "late": [*NAMES[:6], "a"],
            "foreign": ["a"],
        },
    )
    assert values["first"] == dict.fromkeys(MEASURES, 1.0)
    ideal = 1 + 1 / math.log2(3)
    third = {"nDCG@10": 1 / math.log2(4) / ideal, "recall@5": 0.5, "recall@10": 0.5, "recall@100": 0.5, "MRR": 1 / 3}
    assert values["third"] == pytest.approx(third)
    assert values["graded"]["nDCG@10"] == pytest.approx((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)))
    assert values["late"] == pytest.approx(
        {"nDCG@10": 1 / math.log2(8), "recall@5": 0.0, "recall@10": 1.0, "recall@100": 1.0, "MRR": 1 / 7}
    )
    assert values["none"] == dict.fromkeys(MEASURES, 0.0)
    assert "foreign" not in values


def test_nothing_asked_and_nothing_found() -> None:
    assert measured({}, {}) == {}
    assert measured({"a": {"x": 1}}, {"a": []}) == {"a": dict.fromkeys(MEASURES, 0.0)}


@given(
    answers=st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), min_size=1, max_size=8),
    found=st.lists(st.sampled_from(NAMES), unique=True, max_size=20),
)
def test_an_answer_further_up_is_never_worse(answers: dict[str, int], found: list[str]) -> None:
    first = sorted(found, key=lambda name: -answers.get(name, 0))
    values = measured({"as found": answers, "sorted": answers}, {"as found": found, "sorted": first})
    for name in MEASURES:
        assert 0 <= values["as found"][name] <= values["sorted"][name] + 1e-9 <= 1 + 2e-9
    assert values["as found"]["recall@5"] <= values["as found"]["recall@10"] <= values["as found"]["recall@100"]


def test_a_difference_that_every_question_shows_is_no_chance() -> None:
    dice = random.Random(1)
    before = [dice.random() / 2 for _ in range(60)]
    found = paired(before, [value + 0.1 for value in before])
    assert found.difference == pytest.approx(0.1)
    assert (found.better, found.worse) == (60, 0)
    assert found.p < 0.001
    assert paired(before, [value - 0.1 for value in before]).p == found.p


def test_p_is_that_of_the_exact_test() -> None:
    """Of the eight ways to sign three equal differences, two are as extreme as what was seen."""
    assert paired([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]).p == pytest.approx(2 / 8, abs=0.02)
    assert paired([0.5, 0.2], [0.5, 0.2]).p == 1.0


def test_where_there_is_no_difference_small_p_are_rare() -> None:
    dice = random.Random(2)
    small = 0
    for _ in range(100):
        first, second = ([dice.random() for _ in range(25)] for _ in range(2))
        small += paired(first, second).p < 0.1
    assert 2 <= small <= 22  # 10 on average
