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
    """`patches` makes new patches for each run, because some bugs have state. `found_by` is a seed that found the bug:
    few seeds find some bugs, and a change of the code may make it another one. One bug is found by one seed of
    thousands: a reindex that never ends needs an upload in each of many passes."""

    name: str
    says: str
    patches: Callable[[], Sequence[Patch]]
    found_by: int = 0

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


def bug(name: str, says: str, *, found_by: int = 0) -> Callable[[Callable[[], Sequence[Patch]]], Bug]:
    """Make a bug from a function that returns its patches."""
    return lambda patches: Bug(name, says, patches, found_by)
