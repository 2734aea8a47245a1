"""A document whose source is a web address: it is the `url` of its results, and what a filter for one finds."""

from __future__ import annotations

import pytest

from ragbase.domain.job import SOURCE_KEY
from ragbase.domain.labels import labels_of
from ragbase.domain.search_filter import SearchFilter
from tests.simulation.world import World

PAGE = b"---\nurl: https://moved.example/leave\n---\n# Leave\n\nEveryone may take twenty-five days of leave a year."
SOURCES = {"a.md": "https://site.example/a", "twin.md": "https://site.example/b/", "own.md": "notes/own.md"}
URLS = {**SOURCES, "own.md": "https://moved.example/leave"}


@pytest.fixture
def world() -> World:
    world = World()
    for name, source in SOURCES.items():
        world.bucket.put(name, PAGE, metadata={SOURCE_KEY: source})
        world.run()
    return world


def test_its_address_is_its_url_also_that_of_a_twin(world: World) -> None:
    records = [world.record(name) for name in SOURCES]
    assert {record.name: record.metadata.url for record in records if record} == URLS
    assert [bool(record and record.active and record.active.duplicate_of) for record in records] == [False, True, True]


def test_a_filter_finds_it_by_its_address(world: World) -> None:
    for name, url in URLS.items():
        within = SearchFilter(url_prefix=url.rstrip("/"))
        record = world.record(name)
        assert record is not None and record.active is not None
        found = world.index.vectors_of(name).search(world.embedder.embed_query("leave"), [], 10, within=within).hits
        assert [hit.chunk.document_id for hit in found] == [record.id]
        assert within.matches(record)
        assert within.may_match(record.id, labels_of(name, "md", record.metadata))
