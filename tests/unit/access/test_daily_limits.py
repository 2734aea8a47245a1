"""Limits of a day are written as people write them, and amounts are taken in advance without going over."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.access.caller import Caller
from ragbase.access.daily_limits import Limited, parse_limits
from ragbase.access.daily_use import DailyUse, forget_use, used_today
from ragbase.access.permits import Permits
from ragbase.domain.errors import ConfigurationError, TooManyRequests
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock

DAY = timedelta(days=1)


def test_limits_are_read_with_their_units() -> None:
    assert parse_limits(["requests=10000", "bytes=1GB", "tokens = 7"]) == {
        Limited.REQUESTS: 10_000,
        Limited.BYTES: 2**30,
        Limited.TOKENS: 7,
    }
    assert parse_limits(["bytes=2 KB"]) == {Limited.BYTES: 2048}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["answers=3"], "requests, uploads, bytes, tokens"),
        ([""], "requests, uploads, bytes, tokens"),
        (["requests"], "requests=10000"),
        (["requests=0"], "from 1 on"),
        (["requests=-1"], "from 1 on"),
        (["requests=1e9"], "from 1 on"),
        (["requests=1GB"], "requests=10000"),
        (["bytes=1XB"], "bytes=1GB"),
        (["bytes=1gb"], "bytes=1GB"),
        (["bytes=9999999999999999TB"], "bytes=1GB"),
        (["uploads=1", "uploads=2"], "twice"),
        (["requests=٣"], "from 1 on"),
    ],
)
def test_what_is_no_limit_is_refused_with_what_is_known(texts: list[str], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        parse_limits(texts)


@given(
    limit=st.integers(1, 5_000),
    amounts=st.lists(st.tuples(st.integers(0, 2), st.integers(1, 2_000)), max_size=60),
)
def test_amounts_of_several_processes_never_go_over_the_limit(limit: int, amounts: list[tuple[int, int]]) -> None:
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()
    processes = [Permits("bytes", limit, DAY, lambda: checkpoints, clock) for _ in range(3)]
    used = 0
    for number, amount in amounts:
        process = processes[number]
        if seconds := process.take(amount):
            assert seconds <= DAY.total_seconds()
            assert process.look(amount) == seconds
        else:
            used += amount
        assert used <= processes[0].taken() <= limit
    assert processes[0].taken() <= used + 3 * max(1, limit // 20)
    clock.advance(DAY)
    assert all(process.taken() == 0 for process in processes)
    assert not processes[0].take(limit)


@given(limit=st.integers(1, 1_000), charged=st.lists(st.integers(1, 600), max_size=8))
def test_what_turns_out_later_counts_against_the_day(limit: int, charged: list[int]) -> None:
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()
    one, other = (Permits("tokens", limit, DAY, lambda: checkpoints, clock) for _ in range(2))
    for number, amount in enumerate(charged):
        (one, other)[number % 2].charge(amount)
    assert one.taken() == sum(charged)
    assert bool(one.take()) is (sum(charged) >= limit)


def test_a_use_is_refused_by_the_limit_that_it_is_over() -> None:
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()
    use = DailyUse(parse_limits(["uploads=3"]), lambda: checkpoints, clock)
    first, second = (
        Caller(name, tenant="red", key_id=name, limits=((Limited.UPLOADS, 2),)) for name in ("first", "second")
    )
    other = Caller("other", tenant="blue", key_id="other")
    for caller in (first, first, second):
        use.take(caller, Limited.UPLOADS)
    with pytest.raises(TooManyRequests, match="the API key first: 2 uploads a day") as refused:
        use.take(first, Limited.UPLOADS)
    assert refused.value.retry_after == 86_400 - int(clock.now().timestamp()) % 86_400
    with pytest.raises(TooManyRequests, match="the tenant red: 3 uploads a day"):
        use.take(second, Limited.UPLOADS)
    with pytest.raises(TooManyRequests):
        use.look(first, Limited.UPLOADS)
    use.look(other, Limited.UPLOADS)
    use.take(other, Limited.UPLOADS, 3)
    use.take(first, Limited.REQUESTS, 10**9)
    assert used_today("first", dict(first.limits), lambda: checkpoints, clock) == {Limited.UPLOADS: 2}
    forget_use("first", dict(first.limits), checkpoints)
    assert used_today("first", dict(first.limits), lambda: checkpoints, clock) == {Limited.UPLOADS: 0}
    clock.advance(DAY)
    use.take(second, Limited.UPLOADS)
