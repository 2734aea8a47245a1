"""Processes of the local cloud are killed while it works, and services go away for a while."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ragbase.domain.document import Status
from ragbase.domain.errors import Unavailable
from ragbase.domain.identity import document_id
from ragbase.ports import Candidates, VectorStore
from scripts.local_cloud.burst import File, embedded, made_up, settled, upload_all
from scripts.local_cloud.inside import Index, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, eventually
from tests.unit.formats.pdf.pdf_files import pdf

LONG = "killed/long.pdf"
"""It is read in five parts."""
LINES = [f"Buoy {page} is painted green, and its lamp is changed in week {page % 52}." for page in range(500)]
FILES = {LONG: File(pdf(*([(11, line)] for line in LINES)), "application/pdf"), **made_up("killed", 120, seed=2)}
KILLED = ("weaviate", "fast_lane", "router", "heavy_lane", "cohere", "api", "dead_letter")
"""In this order. The emulators and the bucket keep their state in memory."""
RECOVERY_SECONDS = 400
"""A lease of 2 minutes has to run out, and the queue's backoff doubles: its fifth delivery comes after 140 s."""
AWAY_SECONDS = 10
ANSWER_SECONDS = 5

pytestmark = pytest.mark.prove


def kill(cloud: LocalCloud, *parts: str) -> None:
    """The processes with their workers, as if the machine had lost power."""
    pids = {status.name: status.pid for status in cloud.status()}
    for part in parts:
        pid = pids[part]
        assert pid is not None
        os.killpg(pid, signal.SIGKILL)
    eventually(lambda: {one.name for one in cloud.status() if one.health == "stopped"} >= set(parts))


def found(vectors: VectorStore, limit: int) -> Candidates | None:
    """The nearest chunks of all. None if the answer takes longer than a question may: this one wants thousands."""
    try:
        return vectors.search(np.eye(1, 1024, dtype=np.float32)[0], [], limit)
    except Unavailable:
        return None


def test_a_burst_in_which_each_process_is_killed_ends_as_if_nothing_had_happened(
    cloud: LocalCloud, user: User, tmp_path: Path
) -> None:
    with profile_of(cloud) as profile:

        def completed() -> int:
            records = profile.documents.page(status=Status.COMPLETED, limit=1000)
            return sum(record.name in FILES for record in records)

        def is_read_in_parts() -> bool:
            record = profile.documents.get(document_id(profile.bucket.name, LONG))
            return record is not None and record.reading is not None

        uploads = threading.Thread(target=upload_all, args=(user, FILES))
        uploads.start()
        eventually(lambda: is_read_in_parts() and completed() >= 1)
        try:
            kill(cloud, *KILLED)
            assert completed() < len(FILES), "it was over before anything was killed"
        finally:
            cloud.up()
            uploads.join()
        assert set(settled(user, FILES, RECOVERY_SECONDS).values()) == {"COMPLETED"}

        here = Index(profile)
        with embedded(FILES, profile.bucket.name, tmp_path) as reference:
            for name in FILES:
                assert here.shown(name) == reference.shown(name), name
        total = sum(document.get("chunkCount", 0) for document in user.documents().values())
        everything = eventually(lambda: found(profile.open_index().vectors(), total + 10), RECOVERY_SECONDS)
        assert everything.passages == total, "something is there twice, or is left over"
        assert len(everything.hits) == total, "something cannot be found by its vector"


@pytest.mark.parametrize("part", ["weaviate", "cohere"])
def test_documents_wait_for_a_service_that_is_away_and_queries_say_so(cloud: LocalCloud, user: User, part: str) -> None:
    name = f"away/{part}.md"
    kill(cloud, part)
    try:
        user.upload(name, f"# Ferries\n\nThe ferry of {part} leaves the harbour at noon and is back in the evening.\n")
        back = time.monotonic() + AWAY_SECONDS
        while time.monotonic() < back:
            asked = time.monotonic()
            answer = user.query("When does the ferry leave the harbour?")
            assert time.monotonic() - asked < ANSWER_SECONDS
            assert answer.status == 503, answer.body
            assert answer.json["error"] == "UNAVAILABLE"
            assert part in answer.json["message"].lower()
    finally:
        cloud.up()
    assert user.settled(name)["status"] == "COMPLETED"
    assert any(result["filename"] == name for result in user.ask(f"When does the ferry of {part} leave the harbour?"))
