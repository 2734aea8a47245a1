"""Which items of a suite on adapters are in `./scripts/test`, and which are left to `./scripts/prove`.

On memory, SQLite and folders all are in `./scripts/test`. On each real server one suite is: that of the adapter's port.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

SERVERS = frozenset(
    {
        "cloud storage",
        "cloud_storage",
        "s3",
        "pubsub",
        "firestore",
        "weaviate",
        "weaviate with a graph",
        "qdrant",  # no server here, but the client's local mode, which is slow
    }
)
"""The adapters that need a server."""
AGAIN = frozenset({"weaviate with a graph"})
"""An adapter that is among the others already, with another setting: what is special about it has tests of its own."""


def in_test(adapters: Iterable[str]) -> list[object]:
    """The parameters of the suite of a port. The fast loop leaves out those that need a server."""
    return [
        pytest.param(name, marks=pytest.mark.prove if name in AGAIN else pytest.mark.slow if name in SERVERS else ())
        for name in adapters
    ]


def in_prove(adapters: Iterable[str]) -> list[object]:
    """The parameters of any other suite: those that need a server are left to `./scripts/prove`."""
    return [pytest.param(name, marks=pytest.mark.prove if name in SERVERS else ()) for name in adapters]
