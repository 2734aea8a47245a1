"""One part of the local cloud in a container of compose.yaml (docs/local-cloud.md).

`python -m scripts.local_cloud.contained PART` becomes that part. Each service of compose.yaml has the name of its part,
and so has its host. Google's emulators, fake-gcs-server and Weaviate have images of their own.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ragbase.settings import variable_of
from scripts.local_cloud.local_parts import FUNCTIONS, ROOT
from scripts.local_cloud.provision import provision
from scripts.local_cloud.pusher import pusher_arguments
from scripts.local_cloud.wiring import Process, Wiring

PORT = 8080
"""Each part listens on it, unless SERVERS says another. Nobody else is in its container."""
SERVERS = {
    "storage": "storage:4443",
    "pubsub": "pubsub:8085",
    "firestore": "firestore:8080",
    "weaviate": "weaviate:8080",
    "weaviate-grpc": "weaviate:50051",
    "cohere": "cohere:8080",
}
"""Where the servers listen: on the ports that their makers name."""
PARTS = ("cohere", "push", *FUNCTIONS)
"""What has no image of others."""
EVERYWHERE = "0.0.0.0"
"""What a container publishes of it, compose.yaml says."""


def wiring() -> Wiring:
    return Wiring(SERVERS | {name: f"{name}:{PORT}" for name in FUNCTIONS}, Path(os.environ[variable_of("home")]))


def process(name: str) -> Process:
    """The command line of a part, and what its environment has beside that of the container."""
    if name == "cohere":
        module = ["-m", "tests.doubles.cohere_server", "--vectors", "minilm"]
        return [sys.executable, "-P", *module, "--host", EVERYWHERE, "--port", str(PORT)], {}
    if name == "push":
        return [sys.executable, "-P", *pusher_arguments(PORT, SERVERS["pubsub"], wiring().pushes())], {}
    return wiring().function(name, ROOT / "functions" / name, PORT, listen=EVERYWHERE)


def main() -> None:
    parser = argparse.ArgumentParser(description="Become one part of the local cloud, in a container.")
    parser.add_argument("part", choices=PARTS)
    name = parser.parse_args().part
    if name == "push":
        provision(wiring())
    command, environment = process(name)
    os.execve(command[0], list(command), {**os.environ, **environment})


if __name__ == "__main__":
    main()
