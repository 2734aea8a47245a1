"""Free ports for the servers that this machine starts."""

from __future__ import annotations

import secrets
import socket
from contextlib import ExitStack
from itertools import chain

FIRST_PORT, LAST_PORT = 18_000, 32_000
"""These ports are below the range that systems use for outgoing connections. So none of those takes a port before the
server that is to have it opens it, which may be seconds after its start."""


class NoFreePorts(Exception):
    """The message says how many were looked for, and where."""


def free_port() -> int:
    """Raises NoFreePorts."""
    return free_ports(1)


def free_ports(count: int) -> int:
    """Find so many free ports, one after another, and return the first. Raises NoFreePorts."""
    places = range(FIRST_PORT, LAST_PORT - count)
    # Each call looks in another place first: two servers that start at the same time would both get the same ports.
    start = secrets.randbelow(len(places))
    for first in chain(places[start:], places[:start]):
        with ExitStack() as held:
            try:
                for port in range(first, first + count):
                    probe = held.enter_context(socket.socket())
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # ignore closed connections
                    probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise NoFreePorts(f"Found no {count} free ports, one after another, between {FIRST_PORT} and {LAST_PORT}.")
