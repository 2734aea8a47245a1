"""A planted bug: wrong code that replaces some of the real code for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Patch = tuple[object, str, Any]
"""A module or a class, a name in it, and the wrong value for this name."""


@dataclass(frozen=True, slots=True)
class Bug:
    """`patches` makes new patches for each run, because some bugs have state."""

    name: str
    says: str
    patches: Callable[[], Sequence[Patch]]

    @contextmanager
    def planted(self) -> Iterator[None]:
        """The code is wrong inside the `with` block, and right again afterwards."""
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
    """Make a bug from a function that returns its patches."""
    return lambda patches: Bug(name, says, patches)
