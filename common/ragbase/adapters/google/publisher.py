"""Jobs on the topics of Pub/Sub.

This uses the generated client, with one synchronous call for each job. The client above it collects messages in
threads, which an instance of Cloud Run gives no time once its request is answered.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.adapters.google.temporary_errors import PATIENCE, passing_faults, patient_retry
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.messages.job_message import TRACE_ATTRIBUTE, encode_job

if TYPE_CHECKING:
    from google.pubsub_v1 import PublisherClient

    from ragbase.domain.job import Job
    from ragbase.ports import Topic

_MAX_ATTRIBUTE = 1024
"""The most bytes that Pub/Sub accepts as the value of an attribute. The record holds the whole reason."""


class PubSubPublisher:
    """Implements the Publisher port. `topics` has each topic's name in `project`.

    The attributes documentId, generation and reason (of a dead letter) repeat the message for people who read a queue.
    A job that is published during the work on a trace carries that trace on.
    The client is made when it is first used, and talks to PUBSUB_EMULATOR_HOST if that is set.
    """

    def __init__(self, project: str, topics: Mapping[Topic, str]) -> None:
        self._project = project
        self._topics = topics

    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        from google.pubsub_v1 import PubsubMessage

        attributes = {"documentId": job.document_id, "generation": str(job.generation)}
        if reason:
            attributes["reason"] = reason.encode(errors="replace")[:_MAX_ATTRIBUTE].decode(errors="ignore")
        if trace := telemetry.trace.get():
            attributes[TRACE_ATTRIBUTE] = trace.traceparent
        with _refusing(), passing_faults("Pub/Sub"):
            self._client.publish(
                topic=self._client.topic_path(self._project, self._topics[topic]),
                messages=[PubsubMessage(data=encode_job(job), attributes=attributes)],
                retry=patient_retry(),
                timeout=PATIENCE,
            )

    @cached_property
    def _client(self) -> PublisherClient:
        from google.pubsub_v1 import PublisherClient

        emulator = os.environ.get("PUBSUB_EMULATOR_HOST")
        if not emulator:
            return PublisherClient()
        import grpc  # type: ignore[import-untyped]  # the package has no types
        from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

        return PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(emulator)))


@contextmanager
def _refusing() -> Iterator[None]:
    """Raise PermanentError for a message that Pub/Sub finds invalid, such as one of more than 10 MB
    (https://cloud.google.com/pubsub/quotas#resource_limits)."""
    from google.api_core.exceptions import InvalidArgument

    try:
        yield
    except InvalidArgument as error:
        raise PermanentError(ErrorCode.INTERNAL_ERROR, f"Pub/Sub refuses the message: {error}") from error
