"""All servers that the functions of the profile gcp need, on this machine, without any data and without functions."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from scripts.local_cloud.emulators import firestore_emulator, pubsub_emulator
from scripts.local_cloud.storage import storage_emulator
from scripts.local_cloud.weaviate import weaviate_server
from tests.doubles.cohere_server import cohere_server

BUCKET = "uploads"
PROJECT = "project"
TOPICS = ("uploads", "ragbase-fast-lane", "ragbase-heavy-lane", "ragbase-dead-letter")


@contextmanager
def google_cloud() -> Iterator[dict[str, str]]:
    """The settings of a process that uses these servers. The bucket and the topics exist. Raises Missing."""
    with (
        pubsub_emulator() as pubsub,
        firestore_emulator() as firestore,
        storage_emulator(PROJECT, TOPICS[0], pubsub, bucket=BUCKET) as storage,
        weaviate_server() as weaviate,
        cohere_server() as cohere,
    ):
        for topic in TOPICS:
            _make("PUT", f"http://{pubsub}/v1/projects/{PROJECT}/topics/{topic}", {})
        for bucket in (BUCKET, f"{BUCKET}-texts", f"{BUCKET}-sources"):
            _make("POST", f"{storage}/storage/v1/b?project={PROJECT}", {"name": bucket})
        yield {
            "RAGBASE_PROFILE": "gcp",
            "RAGBASE_SIGN_IN": "iam",  # it is on loopback, where no IAM asks
            "RAGBASE_BUCKET": BUCKET,
            "GOOGLE_CLOUD_PROJECT": PROJECT,
            "PUBSUB_EMULATOR_HOST": pubsub,
            "FIRESTORE_EMULATOR_HOST": firestore,
            "STORAGE_EMULATOR_HOST": storage,
            "WEAVIATE_URL": weaviate.url,
            "WEAVIATE_GRPC_URL": weaviate.grpc_url,
            "CO_API_URL": cohere.url,
            "CO_API_KEY": "key",
        }


def _make(method: str, url: str, body: object) -> None:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    urllib.request.urlopen(request, timeout=30).close()
