"""Push messages from the Pub/Sub emulator to functions, as the real service does: many at a time, with backoff.

We do not use the emulator's own push. It sends only 2 requests at a time for a subscription. When an endpoint refused a
hundred messages at the same moment, it delivered only 5 to 39 of them again (version 0.8.20, backoff of 10 or 20 s). So
the subscriptions are pull subscriptions, and this program pushes.

The emulator looks only every 50 ms for messages for a pull that waits. The real service has no such pause, so while
messages come, this program does not wait in the emulator, but asks again and again.

`python -m scripts.local_cloud.pusher --emulator HOST:PORT --pushes JSON` runs it until you stop it. JSON is a
list of Push.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import grpc  # type: ignore[import-untyped]  # the package has no types
from google.api_core.exceptions import GoogleAPICallError
from google.pubsub_v1 import ReceivedMessage, SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

IN_FLIGHT = 16
"""How many requests a subscription may have open at a time: as many as one instance of a function handles."""
PULL_SECONDS = 30
BUSY_SECONDS = 1.0
"""How long after a message pulls do not wait for the next one."""
PAUSE_SECONDS = 0.01
"""How long to pause after a pull that brought nothing. Each pull costs half a millisecond of CPU time."""
AGAIN_SECONDS = 0.2
"""How long to wait before the next pull when the emulator did not answer."""


@dataclass(frozen=True, slots=True)
class Push:
    """Push the messages of a subscription (its full name) to `endpoint`, which must answer within `seconds`.

    After its first failure a message waits `backoff` seconds, after the second twice as long, and so on. It never waits
    longer than `longest_backoff` seconds.
    """

    subscription: str
    endpoint: str
    seconds: int
    backoff: int
    longest_backoff: int

    def run(self, emulator: str) -> None:
        """Push messages forever."""
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
                pass  # the emulator has stopped, and it keeps its messages in memory only
            finally:
                free.release()

        busy_until = 0.0
        with ThreadPoolExecutor(IN_FLIGHT) as threads:
            while True:
                free.acquire()
                received = self._pulled(client, wait=time.monotonic() >= busy_until)
                if received is None:
                    free.release()
                    time.sleep(PAUSE_SECONDS)
                else:
                    busy_until = time.monotonic() + BUSY_SECONDS
                    threads.submit(deliver, received)

    def _pulled(self, client: SubscriberClient, *, wait: bool) -> ReceivedMessage | None:
        request = {"subscription": self.subscription, "max_messages": 1, "return_immediately": not wait}
        try:
            answer = client.pull(request=request, retry=None, timeout=PULL_SECONDS)
        except GoogleAPICallError:
            time.sleep(AGAIN_SECONDS)
            return None
        return next(iter(answer.received_messages), None)

    def _taken(self, received: ReceivedMessage) -> bool:
        """Send a message to the endpoint. True if the endpoint acknowledges it."""
        message = received.message
        envelope = {
            "message": {
                "data": base64.b64encode(message.data).decode(),
                "messageId": message.message_id,
                "publishTime": message.publish_time.isoformat(),
                "attributes": dict(message.attributes),
            },
            "subscription": self.subscription,
        }
        address = urlsplit(self.endpoint)
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=self.seconds)
        try:
            connection.request("POST", "/", json.dumps(envelope), {"Content-Type": "application/json", **_trace()})
            return connection.getresponse().status in (200, 201, 202, 204)
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def _trace() -> dict[str, str]:
    """A trace of its own for each request, as Cloud Run gives one."""
    return {"traceparent": f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"}


def pusher_arguments(port: int, emulator: str, pushes: Sequence[Push]) -> list[str]:
    given = json.dumps([asdict(push) for push in pushes])
    return ["-m", "scripts.local_cloud.pusher", "--port", str(port), "--emulator", emulator, "--pushes", given]


class _Health(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing: the functions log what they receive."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Push messages from the Pub/Sub emulator to functions.")
    parser.add_argument("--port", type=int, required=True, help="the port for the health check")
    parser.add_argument("--emulator", required=True, metavar="HOST:PORT")
    parser.add_argument("--pushes", required=True, metavar="JSON", help="a list of Push")
    arguments = parser.parse_args()
    for push in (Push(**given) for given in json.loads(arguments.pushes)):
        threading.Thread(target=push.run, args=(arguments.emulator,), daemon=True).start()
    ThreadingHTTPServer(("127.0.0.1", arguments.port), _Health).serve_forever()


if __name__ == "__main__":
    main()
