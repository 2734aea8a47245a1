"""What the queues of the local cloud gave up on, from their topic to the operator's command line and back."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.messages.job_message import encode_job
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, eventually
from tests.e2e.command_line import CommandLine, Ended
from tests.functions.recorded import Recorded
from tests.functions.served import Served

pytestmark = pytest.mark.prove


class Operator:
    """Somebody with the command line."""

    def __init__(self, cloud: LocalCloud, home: Path) -> None:
        self._environment = CommandLine(home).environment() | cloud.settings() | {"RAGBASE_EMBEDDER": "cohere"}

    def __call__(self, *arguments: str) -> Ended:
        command = [sys.executable, "-m", "ragbase.interfaces.cli.main", "dead-letters", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, timeout=120, check=False)
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def listed(self, name: str) -> list[dict[str, Any]]:
        dead_letters: list[dict[str, Any]] = self("list", "--document", name, "--json").json["deadLetters"]
        return dead_letters


def give_up(cloud: LocalCloud, payload: bytes, attributes: dict[str, str]) -> None:
    """Put a message on the dead-letter topic, as a lane does, or Pub/Sub after the last delivery."""
    settings = cloud.settings()
    pubsub = Served(f"http://{settings['PUBSUB_EMULATOR_HOST']}", Path())
    message = {"data": base64.b64encode(payload).decode(), "attributes": attributes}
    path = f"/v1/projects/{settings['GOOGLE_CLOUD_PROJECT']}/topics/ragbase-dead-letter:publish"
    answer = pubsub.post(Recorded({"Content-Type": "application/json"}, {"messages": [message]}), path)
    assert answer.status == 200, answer.body


@pytest.fixture
def operator(cloud: LocalCloud, tmp_path: Path) -> Operator:
    return Operator(cloud, tmp_path)


def test_a_job_and_an_event_wait_as_dead_letters_and_are_replayed(
    cloud: LocalCloud, user: User, operator: Operator
) -> None:
    bucket, name = cloud.settings()["RAGBASE_BUCKET"], "given-up/broken.json"
    user.upload(name, '{"a": ' * 20, "application/json")
    assert user.settled(name)["status"] == "FAILED"
    blob = user.bucket.get_blob(name)
    job = Job(document_id=document_id(bucket, name), bucket=bucket, name=name, generation=int(blob.generation))
    give_up(cloud, encode_job(job), {"reason": "Gave up after 3 retries."})
    notification = {
        "eventType": "OBJECT_FINALIZE",
        "bucketId": bucket,
        "objectId": name,
        "objectGeneration": str(blob.generation),
        "CloudPubSubDeadLetterSourceDeliveryCount": "20",
        "CloudPubSubDeadLetterSourceSubscription": "ragbase-uploads",
    }
    resource = {"size": blob.size, "md5Hash": blob.md5_hash, "contentType": blob.content_type}
    give_up(cloud, json.dumps(resource).encode(), notification)

    dead_letters = eventually(lambda: found if len(found := operator.listed(name)) == 2 else None)
    dead_letter = {one["kind"]: one for one in dead_letters}
    assert (dead_letter["job"]["code"], dead_letter["job"]["documentStatus"]) == ("CORRUPT_FILE", "FAILED")
    assert dead_letter["event"]["attempts"] == 20
    assert operator("show", dead_letter["job"]["id"], "--json").json["message"]["filePath"] == name

    routed = operator("replay", dead_letter["event"]["id"])
    assert (routed.code, routed.out) == (0, "1 dead letter: 0 replayed, 1 outdated, 0 refused\n"), routed.err
    again = operator("replay", dead_letter["job"]["id"])
    assert again.code == 1
    assert f"failed: {name}: CORRUPT_FILE" in again.err
    assert operator.listed(name) == []


def test_what_nothing_reads_can_only_be_discarded(cloud: LocalCloud, operator: Operator) -> None:
    give_up(cloud, b"\xff", {"who": "a stranger"})

    def look() -> str | None:
        found = [one for one in operator("list", "--json").json["deadLetters"] if one["kind"] == "unread"]
        return found[0]["id"] if found else None

    id = eventually(look)
    assert operator("replay", id).code == 1
    assert operator("discard", id, "--yes").out == "1 dead letter discarded\n"
    assert look() is None
