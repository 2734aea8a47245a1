"""One fault at any port call of any use case, and whatever redelivery: the end is the clean run's."""

from __future__ import annotations

import pytest

from ragbase.testing.faults import Kind
from ragbase.testing.matrix import FAULTS, REDELIVERIES, Result, run_all, run_part, size
from ragbase.testing.scenarios import SCENARIOS


def test_an_upload() -> None:
    result = run_part("upload of a twin", Kind.CRASH_AFTER)
    assert result.failures == []
    assert result.cases == result.calls * len(REDELIVERIES) > 0


@pytest.mark.slow
def test_every_use_case(capsys: pytest.CaptureFixture[str]) -> None:
    results = list[Result](run_all())
    assert [failure for result in results for failure in result.failures] == []
    assert {result.scenario for result in results} == set(SCENARIOS)
    assert all(result.cases == result.calls * len(FAULTS) * len(REDELIVERIES) > 0 for result in results)
    with capsys.disabled():
        print(f"\ncrash matrix: {size(results)}")
