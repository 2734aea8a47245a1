"""No malformed request makes the server fail, hang, log an error, show another tenant's text or write elsewhere."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.hostile_requests import HostileRequests
from tests.fuzz.routes import fuzz_routes

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("most", [40, pytest.param(400, marks=pytest.mark.prove)])
def test_every_route_stands_malformed_requests(most: int) -> None:
    seed = random.SystemRandom().randrange(2**32)
    assert fuzz_routes(seed, seconds=120, most=most)["findings"] == [], f"--seed {seed}"


def test_a_seed_draws_the_same_requests_again() -> None:
    one, other = (HostileRequests(random.Random(7), ["key"], ["id"]) for _ in range(2))
    drawn = [one.next() for _ in range(500)]
    assert drawn == [other.next() for _ in range(500)]
    assert len({sent.operation for sent in drawn}) > 10
