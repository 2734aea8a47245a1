"""Does `ragbase explain` name the right stage? Plant losses of every kind among real documents. Prints a line of JSON.

Each loss is planted in a way that knows its stage without asking `explain`: a file is left out or damaged, a chunk is
removed, a filter is chosen that the document does not match, the words are taken from what the reader leaves out or
from both sides of a border, or the candidates and the scores of the search itself are counted. A draw that loses
nothing (search shows the document anyway) is drawn again. Each miss is printed to standard error.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ragbase.config import load_config
from ragbase.domain.loss_stage import LossStage
from ragbase.engine.engine import RAGEngine
from ragbase.engine.explain import explain
from ragbase.retrieval.explain.explanation import Explanation
from scripts.bench.corpus import JudgedBench
from tests.planted_losses import PLANTS, Loss, NoLoss, World

_TRIES = 400
"""Draws until one loses something."""


def main() -> None:
    bench = JudgedBench("losses", __doc__)
    bench.number("--seed", 1)
    bench.number("--losses", 100)
    options = bench.parsed()
    for kind, pattern in (("Markdown files", "markdown/*/*.md"), ("PDFs", "pdf/*.pdf")):
        bench.files(options.data, pattern, kind)
    start = time.perf_counter()
    right, of, stages = Counter[LossStage](), Counter[LossStage](), list(PLANTS)
    with tempfile.TemporaryDirectory() as folder:
        home, config = Path(folder), load_config(home=Path(folder) / "data")
        (home / "files").mkdir()
        with RAGEngine(config) as engine, RAGEngine(load_config(home=home / "tenants", tenancy="folder")) as tenants:
            world = World(engine, tenants, home / "files", options.data, options.seed)
            for number in range(options.losses):
                stage = stages[number % len(stages)]
                loss = _planted(world, PLANTS[stage])
                if loss is None:
                    continue
                named = _explained(world, loss)
                of[stage] += 1
                right[stage] += named.stage is stage
                if named.stage is not stage:
                    print(f"{stage}: {named.stage}: {loss}\n    {named.reason}", file=sys.stderr)
    bench.say(
        {
            "seed": options.seed,
            "embedder": config.embedder,
            "losses": sum(of.values()),
            "right": sum(right.values()),
            "by_stage": {stage.value: f"{right[stage]} of {of[stage]}" for stage in stages},
            "seconds": round(time.perf_counter() - start, 1),
        }
    )


def _planted(world: World, plant: Callable[[World], Loss]) -> Loss | None:
    for _ in range(_TRIES):
        try:
            return plant(world)
        except NoLoss:
            continue
    print(f"{plant.__name__}: nothing was lost in {_TRIES} draws", file=sys.stderr)
    return None


def _explained(world: World, loss: Loss) -> Explanation:
    engine = world.tenants if loss.tenant is not None else world.engine
    return explain(loss.question, loss.document, engine.profile, tenant=loss.tenant)


if __name__ == "__main__":
    main()
