"""Whatever filter OpenAI's types and Dify's operators allow: the answer has the documents that it is about, or the
request is refused with a reason. None is ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.foreign_filters import (
    DOCUMENTS,
    QUESTION,
    Filter,
    Judge,
    has_to_be_refused,
    may_be_refused,
    of_dify,
)
from tests.functions.foreign_schemas import checked
from tests.functions.tenant_world import TenantWorld


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path_factory.mktemp("home"), MemoryCheckpoints(), VirtualClock(), tenancy="none")
    key = world.key(None)
    for one in DOCUMENTS:
        world.upload(key, one.text.encode(), one.name.rpartition("/")[2], path=one.name)
    world.work()
    yield world
    world.close()


@pytest.fixture(scope="module")
def judge(world: TenantWorld) -> Judge:
    return Judge({one.name: world.id(one.name) for one in DOCUMENTS})


def test_every_filter_of_openai_is_heeded_or_refused(world: TenantWorld, judge: Judge) -> None:
    key = world.key(None)

    def search(**fields: Any) -> Any:
        body = {"query": QUESTION, "max_num_results": 50, **fields}
        return world.ask(key, "POST", "/v1/vector_stores/ragbase/search", json=body)

    assert {one["filename"] for one in search().json["data"]} == {one.name for one in DOCUMENTS}

    @given(judge.filters())
    def check(filter: Filter) -> None:
        answer = search(filters=filter)
        if has_to_be_refused(filter) or (may_be_refused(filter) and answer.status_code == 400):
            message = checked(answer, "openai", "error", 400)["error"]["message"]
            assert message.startswith("`filters`: ")
        else:
            found = checked(answer, "openai", "search_results")["data"]
            assert {one["filename"] for one in found} == judge.found(filter)
            assert len(found) == len({one["filename"] for one in found})

    check()


def test_every_condition_of_dify_is_heeded_or_refused(world: TenantWorld, judge: Judge) -> None:
    key = world.key(None)

    @given(judge.conditions())
    def check(condition: dict[str, Any]) -> None:
        setting = {"top_k": 50, "score_threshold": 0.0}
        body = {"knowledge_id": "ragbase", "query": QUESTION, "retrieval_setting": setting}
        answer = world.ask(key, "POST", "/retrieval", json={**body, "metadata_condition": condition})
        filter = of_dify(condition)
        if filter is None or has_to_be_refused(filter) or (may_be_refused(filter) and answer.status_code == 400):
            message = checked(answer, "dify", "error", 400)["error_msg"]
            names = [one["name"] for one in condition["conditions"]]
            assert message.startswith("`metadata_condition`: ") and any(f"`{name}`" in message for name in names)
        else:
            records = checked(answer, "dify", "records")["records"]
            assert {one["metadata"]["filename"] for one in records} == judge.found(filter)

    check()
