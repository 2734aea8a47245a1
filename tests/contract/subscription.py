"""A topic on the Pub/Sub emulator, with a subscription that a test can pull from."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import grpc  # type: ignore[import-untyped]  # the package has no types
from google.pubsub_v1 import PublisherClient, PubsubMessage, SubscriberClient
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport


class Subscription:
    def __init__(self, emulator: str, project: str, topic: str) -> None:
        channel = grpc.insecure_channel(emulator)
        publisher = PublisherClient(transport=PublisherGrpcTransport(channel=channel))
        self._client = SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))
        self._path = self._client.subscription_path(project, topic)
        path = publisher.topic_path(project, topic)
        publisher.create_topic(name=path)
        self._client.create_subscription(name=self._path, topic=path)

    def take(self) -> Sequence[PubsubMessage]:
        """Take all waiting messages, in the order in which they were published."""
        taken: list[PubsubMessage] = []
        while received := self._pull():
            taken += received
        return sorted(taken, key=lambda message: int(message.message_id))  # the emulator numbers them

    def _pull(self) -> Sequence[PubsubMessage]:
        with warnings.catch_warnings():
            # Google advises against this flag: the real service may then miss waiting messages. The emulator does not.
            warnings.filterwarnings("ignore", "The return_immediately flag", DeprecationWarning)
            request = {"subscription": self._path, "max_messages": 1000, "return_immediately": True}
            received = self._client.pull(request=request).received_messages
        if received:
            self._client.acknowledge(subscription=self._path, ack_ids=[message.ack_id for message in received])
        return [message.message for message in received]
