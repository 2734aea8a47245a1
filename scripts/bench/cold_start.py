"""How long does each function take from a new Python process to its first answer, and what do its imports cost?

Prints one line of JSON. The bench stages and compiles each function, as a deployment does, and sends it real work, with
servers on this machine. `import_ratio` compares the CPU time of all import statements up to the first answer with an
empty function that loads functions-framework and the same vendors' packages. A ratio of 1 means that the function's own
modules cost nothing. Both run in turn. The bench compares the smallest values, because other work on the machine can
only add time. `ready_seconds` and `first_answer_seconds` are medians of elapsed time.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.object_event import EventKind
from ragbase.messages.job_message import encode_job
from ragbase.pipeline.route import route
from ragbase.ports import StoredObject
from scripts.bench.harness import Bench
from scripts.local_cloud.google_cloud import google_cloud
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.stage import stage

PYDANTIC = """
from dataclasses import dataclass
from pydantic import BaseModel, TypeAdapter
from pydantic.alias_generators import to_camel
class Model(BaseModel):
    x: int
@dataclass
class Record:
    x: int
TypeAdapter(Record)
"""
"""The first model and the first adapter load half of pydantic."""
FIRESTORE = "from google.cloud.firestore import Client\n"
STORAGE = "from google.cloud.storage import Client\n"
PUBSUB = "from google.pubsub_v1 import PublisherClient\n"
WEAVIATE = "import numpy, weaviate.classes.data, weaviate.classes.query\nfrom weaviate import WeaviateAsyncClient\n"
HTTP = "import httpcore, httpx, anyio._backends._asyncio, anyio.abc, anyio.streams.tls, anyio.to_thread\n"
"""Weaviate's client loads the rest of httpx, and of anyio, when it connects."""
COHERE = "from cohere import ClientV2\nfrom cohere.core.request_options import RequestOptions\n"
STEMMER = "import Stemmer\n"
INDEX = WEAVIATE + HTTP + COHERE + STEMMER

VENDORS = {
    "router": PYDANTIC + FIRESTORE + PUBSUB,
    "fast_lane": PYDANTIC + FIRESTORE + STORAGE + INDEX,
    "heavy_lane": PYDANTIC + FIRESTORE + STORAGE + INDEX,
    "dead_letter": PYDANTIC + FIRESTORE + PUBSUB,
    "api": PYDANTIC + FIRESTORE + INDEX,
}
EMPTY = "import functions_framework\n{vendors}\n@functions_framework.http\ndef {name}(request):\n    return '', 204\n"
PROBE = Path(__file__).resolve().parents[2] / "tests" / "probe.py"
QUESTION = {"query": "When does the nightly backup start?"}

Body = Mapping[str, Any]

_days = count(90)


def main() -> None:
    bench = Bench("cold-start", __doc__)
    bench.number("rounds", 15, "how often each function starts")
    bench.add_argument("--only", nargs="+", choices=VENDORS, default=list(VENDORS), help="these functions")
    options = bench.parse_args()
    with google_cloud() as settings, tempfile.TemporaryDirectory() as folder:
        os.environ |= settings
        staged, empty = Path(folder) / "staged", Path(folder) / "empty"
        needed = dict.fromkeys([*options.only, "fast_lane"])
        stage(staged, list(needed))
        for name, vendors in ((name, VENDORS[name]) for name in needed):
            (empty / name).mkdir(parents=True)
            (empty / name / "main.py").write_text(EMPTY.format(vendors=vendors, name=name), encoding="utf-8")
        # Google's buildpack for Python functions compiles them too.
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(staged), str(empty)], check=True)
        profile = open_profile(load_config())
        # The api needs a document to answer its question.
        ask("fast_lane", staged, *request_for("fast_lane", profile))
        figures = {name: measure(name, staged, empty, profile, options.rounds) for name in options.only}
        profile.close()
    bench.say({"rounds": options.rounds, **figures})


def request_for(name: str, profile: Profile) -> tuple[str, Body]:
    """A path and a body that make the function do all of its work. Each file has a name of its own: a lane would skip
    a file that it knows, and put off one that replaces another while searches may still be reading that."""
    if name == "api":
        return "/api/query", QUESTION
    days = next(_days)
    text = f"The nightly backup starts at 02:30, and is kept for {days} days in a second region."
    file, data = (f"{days}.pdf", pdf(text)) if name == "heavy_lane" else (f"{days}.md", text.encode())
    stored = profile.bucket.put(file, data)
    if name == "router":
        return "/", notification(stored)
    record = route(stored.event(EventKind.FINALISED), profile)
    assert record is not None
    return "/", push(encode_job(record.job), {})


def notification(stored: StoredObject) -> Body:
    """The Pub/Sub push by which Cloud Storage announces a new object."""
    payload = {
        "kind": "storage#object",
        "bucket": stored.bucket,
        "name": stored.name,
        "generation": str(stored.generation),
        "size": str(stored.size),
        "md5Hash": base64.b64encode(bytes.fromhex(stored.md5)).decode(),
        "contentType": stored.content_type,
        "metadata": dict(stored.metadata),
    }
    attributes = {
        "eventType": "OBJECT_FINALIZE",
        "payloadFormat": "JSON_API_V1",
        "bucketId": stored.bucket,
        "objectId": stored.name,
        "objectGeneration": str(stored.generation),
    }
    return push(json.dumps(payload).encode(), attributes)


def push(payload: bytes, attributes: Mapping[str, str]) -> Body:
    message = {"data": base64.b64encode(payload).decode(), "attributes": dict(attributes), "messageId": "1"}
    return {"message": message, "subscription": "projects/p/subscriptions/s"}


def measure(name: str, staged: Path, empty: Path, profile: Profile, rounds: int) -> dict[str, Any]:
    function, vendors = [], []
    for _ in range(rounds):
        path, body = request_for(name, profile)
        function.append(ask(name, staged, path, body))
        vendors.append(ask(name, empty, path, body))
    ours, theirs = (min(run["import_seconds"] for run in runs) for runs in (function, vendors))
    return {
        "import_seconds": round(ours, 3),
        "vendors_import_seconds": round(theirs, 3),
        "import_ratio": round(ours / theirs, 3),
        "ready_seconds": round(median(run["ready_seconds"] for run in function), 3),
        "first_answer_seconds": round(median(run["first_answer_seconds"] for run in function), 3),
    }


def ask(name: str, folder: Path, path: str, body: Body) -> dict[str, Any]:
    """Run probe.py in a new Python process and return its report."""
    question = {
        "target": name,
        "source": str(folder / name / "main.py"),
        "path": path,
        "headers": {"Content-Type": "application/json"},
        "body": body,
    }
    ran = subprocess.run(
        [sys.executable, "-P", str(PROBE)],
        input=json.dumps(question),
        env={**os.environ, "PYTHONPATH": str(folder / name)},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        sys.exit(f"{name} failed:\n{ran.stderr}")
    report: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    if report["status"] >= 400:
        sys.exit(f"{name} answered {report['status']}: {report['body']}\n{ran.stderr}")
    return report


if __name__ == "__main__":
    try:
        main()
    except Missing as reason:
        sys.exit(str(reason))
