"""Does `ragbase explain` name the right stage? Plant losses of every kind among real documents. Prints a line of JSON.

Each loss is planted in a way that knows its stage without asking `explain`: a file is left out or damaged, a chunk is
removed, a filter is chosen that the document does not match, the words are taken from what the reader leaves out or
from both sides of a border, or the candidates and the scores of the search itself are counted. A draw that loses
nothing (search shows the document anyway) is drawn again. Each miss is printed to standard error.
"""

from __future__ import annotations

import argparse
import json
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
from scripts.bench.corpus import parsed_with_data
from scripts.bench.machine import machine
from scripts.bench.planted_losses import PLANTS, Loss, NoLoss, World

LOSSES = 100
_TRIES = 400
"""Draws until one loses something."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/losses", description="Plant losses and ask for their stages.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--losses", type=int, default=LOSSES)
    options = parsed_with_data(parser)
    for kind, pattern in (("Markdown files", "markdown/*/*.md"), ("PDFs", "pdf/*.pdf")):
        if not any(options.data.glob(pattern)):
            parser.error(f"{options.data} has no {kind} ({pattern}). Put some there, or name another folder.")
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "files").mkdir()
        config = load_config(home=home / "data")
        with RAGEngine(config) as engine, RAGEngine(load_config(home=home / "tenants", tenancy="folder")) as tenants:
            world = World(engine, tenants, home / "files", options.data, options.seed)
            right, of = Counter[LossStage](), Counter[LossStage]()
            stages = list(PLANTS)
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
    figures = {
        "bench": "losses",
        "seed": options.seed,
        "embedder": config.embedder,
        "losses": sum(of.values()),
        "right": sum(right.values()),
        "by_stage": {stage.value: f"{right[stage]} of {of[stage]}" for stage in stages},
        "seconds": round(time.perf_counter() - start, 1),
    }
    print(json.dumps(figures | {"machine": machine()}))


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
