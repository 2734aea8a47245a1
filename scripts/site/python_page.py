"""The public names in Python, and the ports. mkdocstrings fills in what the code says of each."""

from __future__ import annotations

from collections.abc import Iterable

import ragbase
from ragbase import ports
from ragbase.client import errors


def python_page() -> str:
    names = [getattr(ragbase, name) for name in ragbase.__all__ if not name.startswith("_")]
    faults = [one for one in vars(errors).values() if isinstance(one, type) and one.__module__ == errors.__name__]
    return "\n".join(["## ragbase\n", *_described(names), "## ragbase.client.errors\n", *_described(faults)])


def ports_page() -> str:
    return "\n".join(_described(getattr(ports, name) for name in ports.__all__))


def _described(names: Iterable[object]) -> list[str]:
    homes = [f"{getattr(one, '__module__', '')}.{getattr(one, '__qualname__', '')}" for one in names]
    return [f"::: {home}\n" for home in homes]
