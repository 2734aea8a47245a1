"""An index that a reindex has built can be asked before it is the current one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pytest

from ragbase.domain.errors import GateRefused
from ragbase.domain.identity import document_id
from ragbase.domain.index import Index
from ragbase.evaluation.evaluate import MeasuredQuestion, evaluate
from ragbase.evaluation.question import Expected, FoundText, JudgedQuestion
from ragbase.ports import OpenIndex
from ragbase.retrieval.search import search
from ragbase.upkeep.reindex.reindex import reindex
from tests.contract.indexes import INDEXES
from tests.contract.real_servers import in_prove
from tests.simulation.reindex_world import ReindexWorld

FILES = {
    "leave.md": "Everyone may take twenty-five days of paid leave a year, and asks for them two weeks before.",
    "backup.md": "The nightly backup starts at half past two, takes ten minutes, and is kept on another continent.",
    "pump.md": "The pump of the mill is oiled in spring, and its valve is replaced every second year by the miller.",
}


# Weaviate cannot keep the large numbers of generations of the memory bucket.
@pytest.fixture(params=in_prove(name for name in INDEXES if name != "weaviate"))
def world(request: pytest.FixtureRequest) -> Iterator[ReindexWorld]:
    with INDEXES[request.param]() as opened:
        world = ReindexWorld(indexes=opened())
        for name, text in FILES.items():
            world.put(name, text)
            world.run()
        yield world


def asked(world: ReindexWorld, index: Index) -> list[MeasuredQuestion]:
    """Each document is looked for with its own text."""
    opened = OpenIndex(index, world.indexes, world.embedders[index.model])

    def ask(question: str, *, top_k: int, threshold: float) -> Sequence[FoundText]:
        documents = world.documents
        found = search(question, current=lambda: opened, documents=documents, top_k=top_k, threshold=threshold)
        return list(map(FoundText.of, found))

    questions = [
        JudgedQuestion(id=name, text=text, expected=[Expected(document_id=document_id(world.bucket.name, name))])
        for name, text in FILES.items()
    ]
    return evaluate(questions, ask, top_k=5, threshold=0.0)


def test_both_indexes_answer_before_the_switch(world: ReindexWorld) -> None:
    old = world.wanted
    world.model = "other"
    scores: list[tuple[str, list[float]]] = []

    def compare(current: Index, built: Index, *, refuses: bool) -> None:
        scores.extend((index.name, [one.score for one in asked(world, index)]) for index in (current, built))
        if refuses:
            raise GateRefused("worse")

    with pytest.raises(GateRefused):
        reindex(world.plan(), before_switch=partial(compare, refuses=True))
    assert world.current().index == old
    done = reindex(world.plan(), before_switch=partial(compare, refuses=False))
    assert (done.made, world.current().index) == (True, world.wanted)
    best = [1.0] * len(FILES)
    assert scores == [(old.name, best), (world.wanted.name, best)] * 2
