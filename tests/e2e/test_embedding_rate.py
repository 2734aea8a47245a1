"""A bulk upload to a local cloud whose embedding server limits the inputs a minute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.domain.document import Status
from scripts.local_cloud.burst import made_up, settled, upload_all
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.questions import asking
from scripts.local_cloud.temporary_cloud import started_in
from scripts.local_cloud.user import user_of

RATE = 200
EVERY = 8.0
"""Seconds from one question to the next: within the share of the rate that is left to queries, 10 a minute."""
FILES = made_up("rate", 30, seed=3)
"""More texts than the rate allows in a minute."""
SECONDS = 400
"""Several times what the rate needs."""
REFUSED = 3
"""The most refused calls. A busy machine may hold a call back between its turn and its arrival for longer than the
margin in ragbase.domain.rate.WINDOW. tests/unit/adapters/test_rate_limiter.py holds that no other call is refused."""

pytestmark = [pytest.mark.slow, pytest.mark.prove]


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[LocalCloud]:
    with started_in(tmp_path, RATE) as cloud:
        yield cloud


def test_documents_wait_for_their_turns_and_queries_do_not(limited: LocalCloud) -> None:
    server = EmbeddingServer(limited)
    with user_of(limited) as user, asking(user, "What is part of everything?", every=EVERY) as asked:
        upload_all(user, FILES)
        statuses = settled(user, FILES, SECONDS)

    assert set(statuses.values()) == {"COMPLETED"}
    rate = server.rate()
    assert server.embedded > RATE, "nobody had to wait"
    assert len(rate["minutes"]) > 1
    assert sum(rate["refused"].values()) <= REFUSED
    assert asked.statuses == [200] * len(asked.statuses) != []
    with profile_of(limited) as profile:
        assert profile.dead_letters.page(limit=1) == []
        records = profile.documents.page(status=Status.COMPLETED, limit=len(FILES))
        assert {record.attempts for record in records} == {1}, "waiting costs no attempt"
