"""How far the reading of a long document is, over HTTP and on the command line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from ragbase.adapters.embedded.local_queue import UPLOADS
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.lane import Lane
from ragbase.interfaces.api.app import create_app
from ragbase.pipeline.process import process
from ragbase.pipeline.route import route
from ragbase.ports import Topic
from tests.e2e.command_line import CommandLine
from tests.functions.test_callbacks import answered
from tests.unit.formats.pdf.pdf_files import pdf

PAGES = 201


@pytest.mark.slow
def test_a_long_document_tells_how_many_parts_are_read(tmp_path: Path) -> None:
    ragbase = CommandLine(tmp_path / "home")
    profile = EmbeddedProfile(load_config(home=ragbase.home, environment={}, embedder="hashing"))
    client = create_app(profile).test_client()
    data = pdf(*([(11, f"The boiler of house {number} is inspected every spring.")] for number in range(PAGES)))
    sent = client.post("/api/documents", data={"file": (io.BytesIO(data), "long.pdf"), "path": "long.pdf"})
    id = answered(sent, 202)["id"]
    profile.open_index()
    (event,) = profile.publisher.receive(UPLOADS, 9)
    route(event.event, profile)

    seen = []
    while jobs := profile.publisher.receive(Topic.HEAVY.value, 1):
        process(jobs[0].job, profile.worker(Lane.HEAVY))
        profile.publisher.receive(Topic.HEAVY.value, 0, [jobs[0].id])
        state = answered(client.get(f"/api/documents/{id}"), 200)
        seen.append((state["status"], state.get("partsRead"), state.get("parts")))
        if "parts" in state:
            assert f"{state['partsRead']} of 3 parts read" in ragbase.call("status", id).out
    profile.close()

    *reading, ended = dict.fromkeys(seen)
    assert ended == ("COMPLETED", None, None)
    assert reading == [("PROCESSING", read, 3) for read in range(4)]
