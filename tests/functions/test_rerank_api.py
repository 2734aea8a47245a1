"""POST /api/query with a reranker: its order, the same documents, and the order before if it fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.domain.errors import Unavailable
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.testing.reranker import MemoryReranker
from tests.functions.tenant_world import TenantWorld

QUESTION = "green ships of the harbour"
TEXTS = (
    "Ships. Ships. Ships and ships, and ships again.",
    "The green ships of the harbour are old.",
    "A harbour has water, and a wall against the waves.",
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    for tenant in ("east", "west"):
        for number, text in enumerate(TEXTS):
            world.upload(world.key(tenant), f"{text} This is of the {tenant}.".encode(), path=f"{number}.md")
    world.work()
    yield world
    world.profile.close()


def asked(world: TenantWorld, tenant: str | None, **fields: Any) -> Any:
    return world.query(world.key(tenant), QUESTION, **fields).get_json()


def use(world: TenantWorld, reranker: MemoryReranker) -> MemoryReranker:
    world.profile.__dict__["reranker"] = reranker
    return reranker


def test_the_best_of_the_reranker_comes_first_and_nothing_of_another_tenant(world: TenantWorld) -> None:
    before = asked(world, "east")
    assert "reranked" not in before
    reranker = use(world, MemoryReranker())
    given = asked(world, "east", topK=1)
    assert given["reranked"] is True
    assert [one["content"] for one in given["results"]] == [f"{TEXTS[1]} This is of the east."]
    assert all("west" not in text for text in reranker.asked[0])


def test_a_question_can_do_without_it(world: TenantWorld) -> None:
    before = asked(world, "east")
    reranker = use(world, MemoryReranker())
    assert asked(world, "east", rerank=False) == before
    answer = world.ask(world.key("east"), "POST", "/api/answer", json={"query": QUESTION, "rerank": False})
    assert answer.status_code == 200
    assert reranker.asked == []
    assert asked(world, "east", rerank=True)["reranked"] is True
    wrong = world.query(world.key("east"), QUESTION, rerank="no")
    assert wrong.status_code == 400 and "`rerank`" in wrong.json["message"]
    explained = world.ask(
        world.key("east"), "POST", "/api/explain", json={"query": QUESTION, "document": "0.md", "rerank": False}
    )
    assert explained.status_code == 400, "explain never asks it"


def test_all_tenants_are_one_call(world: TenantWorld) -> None:
    reranker = use(world, MemoryReranker())
    given = asked(world, None, topK=10)
    assert (len(given["results"]), len(reranker.asked)) == (2 * len(TEXTS), 1)
    assert all("green ships" in one["content"] for one in given["results"][:2])


def test_a_filter_holds(world: TenantWorld) -> None:
    reranker = use(world, MemoryReranker())
    given = asked(world, None, filter={"pathPrefix": "west"})
    assert {one["filename"].split("/")[0] for one in given["results"]} == {"west"}
    assert all("east" not in text for text in reranker.asked[0])


def test_without_the_reranker_the_answer_is_that_of_the_search(world: TenantWorld) -> None:
    before = asked(world, "east", topK=2)
    use(world, MemoryReranker(Unavailable("away")))
    assert asked(world, "east", topK=2) == {**before, "reranked": False}
