"""Let a threshold mean for the rows what it means for MiniLM, if their model has no constants of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.errors import RagbaseError
from ragbase.retrieval.calibration import known_calibration

if TYPE_CHECKING:
    from ragbase.ports import Clock, OpenIndex
    from ragbase.retrieval.calibrations import Calibrations


def calibrate_rows(index: OpenIndex, calibrations: Calibrations, clock: Clock) -> None:
    """Fit the calibration of this index, unless it was fitted from enough texts. Each fit embeds some 230 short texts.

    Only the process that loads calls it, so no two do it at once. If it cannot be fitted, that is logged, and the next
    load tries again.
    """
    if known_calibration(index.index.model) is not None:
        return
    from ragbase.retrieval.calibrate import SAMPLE, fit_index

    before = calibrations.of(index.index)
    if before is not None and before.passages >= SAMPLE:
        return
    try:
        fitted = fit_index(index, clock.now())
    except RagbaseError as error:
        telemetry.log("index.uncalibrated", str(error), level=logging.WARNING, index=index.index.name)
        return
    calibrations.save(index.index, fitted)
    telemetry.log("index.calibrated", index=index.index.name, model=fitted.model, passages=fitted.passages)
