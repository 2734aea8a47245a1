"""The local cloud itself: its parts die and come back, and its vectors stay of one kind."""

from __future__ import annotations

import os
import signal

import pytest

from scripts.local_cloud.local_cloud import LocalCloud, NotUp
from scripts.local_cloud.local_parts import FUNCTIONS, SERVERS
from scripts.local_cloud.user import User, eventually

pytestmark = pytest.mark.prove


def test_a_part_that_was_killed_is_seen_and_started_again_with_everything_else_left_alone(
    cloud: LocalCloud, user: User
) -> None:
    before = {part.name: part for part in cloud.status()}
    assert set(before) == {*SERVERS, *FUNCTIONS} - {"vertex"}
    assert {part.health for part in before.values()} == {"healthy"}
    killed = before["fast_lane"].pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: [part for part in cloud.status() if (part.name, part.health) == ("fast_lane", "stopped")])

    cloud.up()
    after = {part.name: part for part in cloud.status()}
    assert {name for name in after if after[name] != before[name]} == {"fast_lane"}
    assert after["fast_lane"].health == "healthy"
    user.upload(
        "guides/again.md",
        "# Again\n\nWhat was uploaded after the part came back is found as all before it.\n",
    )
    assert user.settled("guides/again.md")["status"] == "COMPLETED"


def test_other_vectors_are_refused_while_an_index_has_some(cloud: LocalCloud) -> None:
    with pytest.raises(NotUp, match="hashing"):
        cloud.up("minilm")
    with pytest.raises(NotUp, match="cohere"):
        cloud.up(service="vertex")
