"""Why a child process cannot read a file: what its readers raise, and what it answers with a word."""

from __future__ import annotations


class Damaged(Exception):
    """The file, or a part of it, is not what it says that it is."""


class Encrypted(Exception):
    """The document needs a password."""


class TooLarge(Exception):
    """The file unpacks to more than it may; or it is over the limit that the text names."""
