"""The reference page of the public names in Python. mkdocstrings fills in what the code says of each."""

from __future__ import annotations

import ragbase
from ragbase.client import errors

ABOUT = """# Python

Generated from the code. These names are public: import them from `ragbase`. [stability.md](../stability.md) says what
that means, and [client.md](../client.md) how to use the client.
"""


def python_page() -> str:
    names = [getattr(ragbase, name) for name in ragbase.__all__ if not name.startswith("_")]
    faults = [one for one in vars(errors).values() if isinstance(one, type) and one.__module__ == errors.__name__]
    parts = [ABOUT, "## ragbase\n", *(f"::: {one.__module__}.{one.__qualname__}\n" for one in names)]
    parts += ["## ragbase.client.errors\n", *(f"::: {one.__module__}.{one.__qualname__}\n" for one in faults)]
    return "\n".join(parts)
