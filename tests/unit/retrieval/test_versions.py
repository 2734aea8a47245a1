"""What several versions of a document have in common does not fill a list of results."""

from __future__ import annotations

import pytest

from ragbase.retrieval.search_result import SearchResult
from tests.unit.retrieval.indexed import Indexed

PAGE = """# Timeouts

A test ends with an error after {seconds} seconds, if it has not ended before. The timeout counts for every test of a
file, for hooks too, and begins again with each of them. Set it in the settings of the project, or call the function
that bears its name at the head of the file. A timeout of zero lets every test run for as long as it likes to run.
"""
OTHER = "# Snapshots\n\nA snapshot of the output is written when a test runs for the first time, without a timeout.\n"


@pytest.fixture
def index() -> Indexed:
    index = Indexed(size=1000, overlap=0)
    for version, seconds in (("25.x", 5), ("26.x", 6), ("27.x", 7), ("28.x", 8)):
        index.put(f"docs/{version}/timeouts.md", PAGE.format(seconds=seconds))
        index.put(f"docs/{version}/snapshots.md", OTHER)
    return index


def _names(results: list[SearchResult]) -> list[str]:
    return [result.document.name for result in results]


def test_the_newest_version_stands_for_all(index: Indexed) -> None:
    results = index.search("After how many seconds does a test end: timeout?")
    assert _names(results) == ["docs/28.x/timeouts.md", "docs/28.x/snapshots.md"]


def test_what_stands_behind_is_named(index: Indexed) -> None:
    first, second = index.search("After how many seconds does a test end: timeout?")
    assert [source.document.name.split("/")[1] for source in first.sources][:1] == ["28.x"]
    for result in (first, second):
        assert {source.document.name.split("/")[1] for source in result.sources} == {"25.x", "26.x", "27.x", "28.x"}


@pytest.mark.parametrize("version", ["25", "26", "27"])
def test_the_version_that_is_named_leads(index: Indexed, version: str) -> None:
    results = index.search(f"After how many seconds does a test end in version {version}?")
    assert _names(results)[0] == f"docs/{version}.x/timeouts.md"
    assert len(results) == 2


def test_a_page_of_the_named_version_leads_though_it_says_something_else() -> None:
    index = Indexed(size=1000, overlap=0)
    index.put("docs/1.0/retries.md", "# Retries\n\nThe old way: call again by hand, as often as the server needs.\n")
    index.put("docs/2.0/retries.md", "# Retries\n\nRetries come by themselves. Say how many retries there may be.\n")
    question = "How do retries work, and how many retries may there be"
    assert _names(index.search(question))[0] == "docs/2.0/retries.md"
    assert _names(index.search(f"{question} in 1.0?")) == ["docs/1.0/retries.md", "docs/2.0/retries.md"]


def test_documents_of_two_months_are_two_results() -> None:
    index = Indexed(size=1000, overlap=0)
    for month in ("2024-03", "2024-04"):
        index.put(f"minutes/{month}.md", PAGE.format(seconds=month))
    assert sorted(_names(index.search("timeout of every test"))) == ["minutes/2024-03.md", "minutes/2024-04.md"]


def test_what_only_one_version_says_stays() -> None:
    index = Indexed(size=1000, overlap=0)
    index.put("v1/api.md", "# Keys\n\nKeys are rotated by hand, once a year, by the person on duty.\n")
    index.put("v2/api.md", "# Keys\n\nA daemon replaces all keys every night without anybody being there.\n")
    assert sorted(_names(index.search("How are keys rotated or replaced?"))) == ["v1/api.md", "v2/api.md"]


def test_all_versions_are_shown_if_somebody_wants_them(index: Indexed) -> None:
    results = index.search("After how many seconds does a test end: timeout?", group_versions=False)
    assert len([name for name in _names(results) if name.endswith("timeouts.md")]) == 4
