"""`python -m scripts.local_cloud.get_servers` gets the servers that the tests need and this machine does not have yet.

It takes minutes the first time and milliseconds afterwards, so it may run beside other work: a test that needs a server
waits until it is there. What cannot be had is named, and no error: the tests that need it say so.
"""

from __future__ import annotations

import sys

from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.storage import storage_binary
from scripts.local_cloud.weaviate import weaviate_binary


def get_servers() -> None:
    for get in (storage_binary, weaviate_binary):
        try:
            get()
        except Missing as missing:
            print(missing, file=sys.stderr, flush=True)


if __name__ == "__main__":
    get_servers()
