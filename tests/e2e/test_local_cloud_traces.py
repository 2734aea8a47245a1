"""One upload is one trace, from the router over the queue to the lane."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, eventually

pytestmark = pytest.mark.prove

TRACE = "logging.googleapis.com/trace"


def entries(cloud: LocalCloud, function: str, **fields: str) -> list[dict[str, Any]]:
    """What a function has logged with these fields."""
    lines = (line for line in cloud.log(function).read_text().splitlines() if line.startswith("{"))
    return [entry for entry in map(json.loads, lines) if fields.items() <= entry.items()]


def whole(cloud: LocalCloud, name: str) -> list[dict[str, Any]] | None:
    """What the router and the lane have logged about a document. The lane does so after the record says COMPLETED."""
    logged = [*entries(cloud, "router", name=name), *entries(cloud, "fast_lane", name=name)]
    return logged if {entry["action"] for entry in logged} >= {"route", "process.completed"} else None


def test_what_the_router_and_the_lane_log_about_an_upload_is_one_trace(cloud: LocalCloud, user: User) -> None:
    names = ["traces/first.md", "traces/second.md"]
    for name in names:
        user.upload(name, f"# {name}\n\nWhat all functions log about one upload is shown together.\n")
        assert user.settled(name)["status"] == "COMPLETED"

    found = []
    for name in names:
        logged = eventually(partial(whole, cloud, name))
        (trace,) = {entry[TRACE] for entry in logged}
        found.append(trace)
        # How long it took until the upload was searchable: the alerts count it.
        (done,) = eventually(partial(entries, cloud, "fast_lane", **{TRACE: trace, "action": "push.done"}))
        assert isinstance(done["seconds"], float)
    assert len(set(found)) == 2
    assert all(trace.startswith(f"projects/{cloud.settings()['GOOGLE_CLOUD_PROJECT']}/traces/") for trace in found)
