"""What a planted bug is: some of the real code, replaced for a while by what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Patch = tuple[object, str, Any]
"""A module or a class, a name of its, and what stands there instead."""


@dataclass(frozen=True, slots=True)
class Bug:
    """`patches` are made anew for each run: some bugs remember things."""

    name: str
    says: str
    patches: Callable[[], Sequence[Patch]]

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The code is wrong within, and right again afterwards."""
        patches = self.patches()
        right = [(place, name, getattr(place, name)) for place, name, _ in patches]
        try:
            for place, name, wrong in patches:
                setattr(place, name, wrong)
            yield
        finally:
            for place, name, value in right:
                setattr(place, name, value)


def bug(name: str, says: str) -> Callable[[Callable[[], Sequence[Patch]]], Bug]:
    """Make a bug of a function that tells what it patches."""
    return lambda patches: Bug(name, says, patches)
