"""How many examples a property tries that needs more, or fewer, than others do."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

LEAST = 3
"""The first example is the simplest one there is."""


def share(of_usual: float, **others: Any) -> settings:
    """Settings for a property that tries this share of the examples that the loaded profile of hypothesis tries.

    A number of its own would hold in every profile: in one that tries a thousand, too. Load the profile before you
    import the suite; `conftest.py` is the place.
    """
    return settings(max_examples=max(LEAST, round(of_usual * settings().max_examples)), **others)
