"""The plan for a reindex of the profile's documents."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from ragbase.bootstrap.profile import Profile
from ragbase.upkeep.reindex.plan import ReindexPlan


@contextmanager
def plan_reindex(profile: Profile) -> Iterator[ReindexPlan]:
    """What `reindex` and `estimate` work with, several documents at a time."""
    threads = ThreadPoolExecutor(profile.config.fast_workers, thread_name_prefix="reindex")
    try:
        yield ReindexPlan(
            ports=profile,
            wanted=profile.wanted_index,
            maker_for=profile.maker_for,
            sleep=time.sleep,
            grace=profile.switch_grace,
            each=threads.map,
        )
    finally:
        threads.shutdown(cancel_futures=True)
