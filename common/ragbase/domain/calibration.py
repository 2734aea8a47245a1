"""What `ragbase calibrate` has found out about the model of one index, and where its constants come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragbase.domain.chunk import Vector


class CalibrationOrigin(StrEnum):
    """Where the constants of an index come from."""

    KNOWN = "known"
    """They are those of retrieval/calibrations.py."""
    FITTED = "fitted"
    """`ragbase calibrate` has fitted them without labels."""
    LABELLED = "labelled"
    """`ragbase calibrate` has fitted them with labels."""
    MISSING = "missing"
    """Nobody has fitted any: they are MiniLM's, and the threshold is a guess."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CosineFit:
    """How the cosines of a model compare with those of the reference model (retrieval/calibration.py).

    `points` are pairs of (cosine of this model, cosine of the reference), in growing order. `backgrounds` has a vector
    for each language: its cosine with a question is the question's background in that language.
    """

    points: tuple[tuple[float, float], ...]
    backgrounds: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class LabelFit:
    """What an owner's `questions` and `foreign` questions have shown: the evidence of a passage, in logits, is
    multiplied by `stretch`, and `shift` is added. Both numbers of questions are how many were asked."""

    stretch: float
    shift: float
    questions: int
    foreign: int


@dataclass(frozen=True, slots=True)
class OrderFit:
    """What the weights of cosine and coverage in the rank score are multiplied by. That was fitted to so many
    `questions`: sentences of the index itself, or `labelled` ones. On those that it was not fitted to, the mean
    nDCG is `fitted`, and `usual` without it."""

    cosine: float
    coverage: float
    questions: int
    usual: float
    fitted: float
    labelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedCalibration:
    """The calibration of the model `model` in one index, and where it comes from: when, and from how many `passages`.

    `cosines` is None for a model whose constants are known. `labels` is None if no labelled questions were given.
    `chance_levels` has, for a language that passages are in, the evidence in logits that a question on something else
    reaches by chance (retrieval/chance.py). It is None if nobody has looked for any. `order` is None if the weights of
    the rank score stay as they are.
    """

    model: str
    fitted_at: datetime
    passages: int
    cosines: CosineFit | None = None
    labels: LabelFit | None = None
    chance_levels: Mapping[str, float] | None = None
    order: OrderFit | None = None
