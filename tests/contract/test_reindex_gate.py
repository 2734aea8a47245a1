"""On every store, a reindex switches only to an index that answers an owner's questions as well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.errors import GateRefused
from ragbase.domain.question import Question
from ragbase.engine.gate import gate
from ragbase.engine.plan_reindex import plan_reindex
from ragbase.engine.search import search
from ragbase.ports import Indexes
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.upkeep.reindex.progress import Reindexed
from ragbase.upkeep.reindex.reindex import reindex
from tests.contract.indexes import INDEXES
from tests.contract.real_servers import in_prove
from tests.functions.guarded import Guarded
from tests.functions.tenant_world import TenantWorld

PUMP = "Rub the axes with wax in May, and dry the kegs, the jigs and the urns with a rag each year."
LEAVE = "Everyone may take twenty-five days of paid leave a year, and asks for them two weeks before they begin."
INFLECTED = "rubbing an axe and drying a keg or an urn"
"""Finds the text by its words alone if they lose their endings: they are too short to be alike."""
QUESTIONS = f"question,expected\nhow many days of paid leave may everyone take,leave.md\n{INFLECTED},pump.md\n"


@pytest.fixture(params=in_prove(INDEXES))
def indexes(request: pytest.FixtureRequest) -> Iterator[Indexes]:
    with INDEXES[request.param]() as opened:
        yield opened()


@contextmanager
def profile_with(home: Path, indexes: Indexes, **settings: str) -> Iterator[Profile]:
    config = load_config(home=home, environment={}, embedder="hashing", **settings)
    profile = Guarded(config, MemoryCheckpoints(), VirtualClock(), indexes)
    yield profile
    profile.close()


def gated(profile: Profile, questions: Path, *, allowed_loss: float) -> Reindexed:
    check = gate(questions, profile, allowed_loss=allowed_loss)
    with plan_reindex(profile) as plan:  # no other process has to hear of the switch
        return reindex(replace(plan, sleep=lambda _: None), before_switch=check)


def test_an_index_that_answers_worse_does_not_become_the_current_one(indexes: Indexes, tmp_path: Path) -> None:
    home, questions = tmp_path / "home", tmp_path / "questions.csv"
    questions.write_text(QUESTIONS)
    world = TenantWorld(
        home, MemoryCheckpoints(), VirtualClock(), indexes=indexes, tenancy="none", similarity_threshold=0.5
    )
    for name, text in (("pump.md", PUMP), ("leave.md", LEAVE)):
        world.upload(world.key(None), text.encode(), path=name)
    world.work()
    world.close()
    old = indexes.current()

    with profile_with(home, indexes, language="none") as profile:
        with pytest.raises(GateRefused, match=f"(?s)falls from 1.000 to .*{INFLECTED}"):
            gated(profile, questions, allowed_loss=0.0)
        assert indexes.current() == old
        assert [result.document.name for result in search(Question(INFLECTED), profile)] == ["pump.md"]

        done = gated(profile, questions, allowed_loss=1.0)
        assert done.made and indexes.current() == done.index != old
