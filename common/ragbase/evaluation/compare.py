"""Is one way to answer better than another, or is it chance?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_ROUNDS = 10_000
_BATCH = 500
_SEED = 20_070_101
"""Fixed, so that the same two runs always give the same figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The same questions asked in two ways. `difference` is the mean of the second way less that of the first; `better`
    and `worse` count questions. `p` is how likely a difference of this size, in either direction, is by chance."""

    first: float
    second: float
    difference: float
    p: float
    better: int
    worse: int


def paired(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compare two values of each question by the randomisation test (Smucker, Allan and Carterette, CIKM 2007): if the
    two ways were the same, each question's values could as well be the other way round."""
    import numpy as np

    before, after = np.array(first, dtype=np.float64), np.array(second, dtype=np.float64)
    differences = after - before
    size = abs(differences.sum()) - 1e-9  # equal sums may differ in their last bits
    dice = np.random.default_rng(_SEED)
    as_large = 0
    for _ in range(_ROUNDS // _BATCH):
        signs = dice.integers(0, 2, size=(_BATCH, len(differences)), dtype=np.int8) * 2 - 1
        as_large += int((np.abs(signs @ differences) >= size).sum())
    return Paired(
        first=float(before.mean()) if len(before) else 0.0,
        second=float(after.mean()) if len(after) else 0.0,
        difference=float(differences.mean()) if len(differences) else 0.0,
        p=(as_large + 1) / (_ROUNDS + 1),
        better=int((differences > 0).sum()),
        worse=int((differences < 0).sum()),
    )
