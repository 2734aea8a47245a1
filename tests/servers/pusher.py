"""Pushes messages of the Pub/Sub emulator to functions, as the service does: many at a time, each failure waited out.

The emulator's own push is not used. It has 2 requests in flight for a subscription, and of a hundred messages that an
endpoint did not take in the same moment it delivered between 5 and 39 ever again (0.8.20, with a backoff of 10 or
20 s). So the subscriptions are for pulling, and this does the rest.

`python -m tests.servers.pusher --emulator HOST:PORT --pushes JSON` runs it until it is ended; JSON is a list of Push.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import grpc  # type: ignore[import-untyped]  # the package says nothing of types
from google.api_core.exceptions import GoogleAPICallError
from google.pubsub_v1 import ReceivedMessage, SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

IN_FLIGHT = 16
"""Requests for a subscription at a time: as many as one instance of a function works on."""
PULL_SECONDS = 30
AGAIN_SECONDS = 0.2
"""After which the emulator is asked again when it did not answer."""


@dataclass(frozen=True, slots=True)
class Push:
    """A subscription (its whole name) whose messages go to `endpoint`, which has `seconds` to answer. After the nth
    failure a message waits for `backoff` seconds times 2 to the power of n - 1, at most for `longest_backoff`."""

    subscription: str
    endpoint: str
    seconds: int
    backoff: int
    longest_backoff: int

    def run(self, emulator: str) -> None:
        """For ever."""
        client = SubscriberClient(transport=SubscriberGrpcTransport(channel=grpc.insecure_channel(emulator)))
        free = threading.Semaphore(IN_FLIGHT)

        def deliver(received: ReceivedMessage) -> None:
            try:
                if self._taken(received):
                    client.acknowledge(subscription=self.subscription, ack_ids=[received.ack_id])
                else:
                    wait = min(self.backoff * 2 ** (received.delivery_attempt - 1), self.longest_backoff)
                    client.modify_ack_deadline(
                        subscription=self.subscription, ack_ids=[received.ack_id], ack_deadline_seconds=wait
                    )
            except GoogleAPICallError:
                pass  # the emulator is gone, and its messages with it
            finally:
                free.release()

        with ThreadPoolExecutor(IN_FLIGHT) as threads:
            while True:
                free.acquire()
                received = self._pulled(client)
                if received is None:
                    free.release()
                else:
                    threads.submit(deliver, received)

    def _pulled(self, client: SubscriberClient) -> ReceivedMessage | None:
        request = {"subscription": self.subscription, "max_messages": 1}
        try:
            answer = client.pull(request=request, retry=None, timeout=PULL_SECONDS)
        except GoogleAPICallError:
            time.sleep(AGAIN_SECONDS)
            return None
        return next(iter(answer.received_messages), None)

    def _taken(self, received: ReceivedMessage) -> bool:
        """Whether the endpoint has acknowledged the message."""
        message = received.message
        envelope = {
            "message": {
                "data": base64.b64encode(message.data).decode(),
                "messageId": message.message_id,
                "attributes": dict(message.attributes),
            },
            "subscription": self.subscription,
        }
        address = urlsplit(self.endpoint)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=self.seconds)
        try:
            connection.request("POST", "/", json.dumps(envelope), {"Content-Type": "application/json"})
            return connection.getresponse().status in (200, 201, 202, 204)
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def pusher_arguments(port: int, emulator: str, pushes: Sequence[Push]) -> list[str]:
    told = json.dumps([asdict(push) for push in pushes])
    return ["-m", "tests.servers.pusher", "--port", str(port), "--emulator", emulator, "--pushes", told]


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the functions log what they are sent."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Push the messages of the Pub/Sub emulator to functions.")
    parser.add_argument("--port", type=int, required=True, help="answers GET with 200")
    parser.add_argument("--emulator", required=True)
    parser.add_argument("--pushes", required=True)
    arguments = parser.parse_args()
    for push in (Push(**told) for told in json.loads(arguments.pushes)):
        threading.Thread(target=push.run, args=(arguments.emulator,), daemon=True).start()
    ThreadingHTTPServer(("127.0.0.1", arguments.port), _Health).serve_forever()


if __name__ == "__main__":
    main()
