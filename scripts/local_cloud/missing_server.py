"""What happens when this machine does not have a server and cannot get it."""

from __future__ import annotations


class Missing(Exception):
    """A server is not on this machine and cannot be installed. The message says what is missing and how to get it."""
