"""A page of a website may be anybody's: it is read in a time that grows with it, or not at all."""

from __future__ import annotations

import logging

import pytest

from ragbase.website_pipeline import discover_urls, fetch_and_parse
from tests.contract.web_server import Page, website
from tests.unit.formats.limited import limited

WORDS = "<article><p>Wind fills the sail.</p></article>"
HOSTILE = {
    "names": "<a" * 50_000,
    "attributes": "<p " + " ".join(f"a{number}" for number in range(30_000)) + ">",
    "comments": "<!--" * 30_000,
    "ends": "</a" * 40_000,
    "articles": "<article>a</article>" * 5_000,
    "quotes": "<a b='" * 20_000,
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_the_text_of_a_hostile_page(hostile: str) -> None:
    with website({"/p": Page(f"<html><body>{WORDS}{HOSTILE[hostile]}")}) as site:
        assert "Wind fills the sail." in limited(lambda: str(fetch_and_parse(f"{site.url}/p")[1]))


@pytest.mark.parametrize("deep", ["<div>", "<div><a href='#x'>", "<article>", "<p><b>"])
def test_a_page_that_is_nested_very_deep_has_its_text(deep: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "ragbase")
    body = f"<title>Sail &amp; wind</title></head><body><h1>Sail</h1>a &lt; b{deep * 10_000}The end."
    with website({"/p": Page(f"<html><head>{body}")}) as site:
        title, text, headings = limited(lambda: (*fetch_and_parse(f"{site.url}/p"),))
        fetch_and_parse(f"{site.url}/p")
    assert (title, text.split("\n"), headings) == ("Sail & wind", ["Sail", "a < b", "The end."], [])
    assert "nested more than 500 levels deep" in caplog.text


def test_a_page_that_is_too_long_is_not_read() -> None:
    with website({"/p": Page("a" * 9_000_000)}) as site, pytest.raises(ValueError, match="more than 8388608 bytes"):
        fetch_and_parse(f"{site.url}/p")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_the_links_of_a_hostile_page(hostile: str) -> None:
    with website({"/": Page(f"<a href=/p>p</a>{HOSTILE[hostile]}"), "/p": Page(WORDS)}) as site:
        assert limited(lambda: discover_urls(site.url)) == [f"{site.url}/", f"{site.url}/p"]


def test_a_base_that_is_no_address() -> None:
    with website({"/": Page("<base href='http://['><a href=/p>p</a>"), "/p": Page(WORDS)}) as site:
        assert discover_urls(site.url) == [f"{site.url}/", f"{site.url}/p"]
