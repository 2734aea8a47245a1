"""With one fault at any port call of any use case, and any redelivery, the end is that of a clean run."""

from __future__ import annotations

import pytest

from tests.simulated_world.crash_matrix import FAULTS, REDELIVERIES, run_part
from tests.simulated_world.faults import Kind
from tests.simulated_world.scenarios import SCENARIOS


def test_an_upload() -> None:
    result = run_part("upload of a duplicate", Kind.CRASH_AFTER)
    assert result.failures == []
    assert result.cases == result.calls * len(REDELIVERIES) > 0


@pytest.mark.prove
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_use_case(scenario: str) -> None:
    for fault in FAULTS:
        result = run_part(scenario, fault)
        assert result.failures == []
        assert result.cases == result.calls * len(REDELIVERIES) > 0
