"""With one fault at any port call of any use case, and any redelivery, the end is that of a clean run."""

from __future__ import annotations

import pytest

from scripts.simulation.crash_matrix import FAULTS, REDELIVERIES, Result, run_all, run_part, size
from scripts.simulation.faults import Kind
from scripts.simulation.scenarios import SCENARIOS


def test_an_upload() -> None:
    result = run_part("upload of a duplicate", Kind.CRASH_AFTER)
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
