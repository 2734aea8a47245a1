"""docs/contracts/website-pipeline.md, sections 1 to 3: the pages of a site, and their chunks."""

from __future__ import annotations

import inspect
import logging
import threading
from itertools import pairwise
from typing import Any

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.tokens import TOKENS
from ragbase.website_pipeline import chunk_text, discover_urls, fetch_and_parse
from tests.contract.web_server import Page, website

DOCUSAURUS = """<!doctype html><html lang="en"><head><title>Week 1: ROS 2 Setup | Robotics</title></head><body>
<nav><a href="/">Home</a><h2>Navigation</h2></nav><div id="__docusaurus"><main><article>
<nav class="theme-doc-breadcrumbs"><span>Module 1</span></nav>
<div class="tocCollapsible"><button type="button">On this page</button></div>
<div class="theme-doc-markdown markdown"><header><h1>Module 1: ROS&nbsp;2</h1></header>
<p>Installation</p><ul><li>Week 1: Setup</li><li>Installation</li></ul>
<h2 class="anchor" id="setup">Week 1: <code>Setup</code><a href="#setup" class="hash-link">\u200b</a></h2>
<p>To install <strong>ROS 2</strong>\n Humble, <a href="/docs/x">update</a>.</p>
<div class="codeBlock"><pre><code><span class="token-line"><span>def f():</span><br></span><span class="token-line">
<span></span>    return 1<br></span></code></pre></div>
<h3>Details</h3><p>deep</p><h2 id="i">Installation</h2><table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>
</div><footer><a href="https://github.com/x/edit/main/a.md">Edit this page</a></footer></article></main></div>
<footer><h2>Community</h2></footer><script>var h = "<h2>Script</h2>"</script></body></html>"""


def page(title: str = "T", body: str = "<article><h1>A</h1><p>text</p></article>") -> Page:
    return Page(f"<html><head><title>{title}</title></head><body>{body}</body></html>")


def sitemap(*paths: str, tag: str = "url", root: str = "urlset") -> Page:
    items = "".join(f"<{tag}><loc>{path}</loc></{tag}>" for path in paths)
    body = f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{items}</{root}>'
    return Page(body, content_type="application/xml")


def links(*paths: str) -> Page:
    return page(body="".join(f'<a href="{path}">x</a>' for path in paths))


def test_the_signatures_are_those_of_the_contract() -> None:
    def of(function: Any) -> list[tuple[str, Any]]:
        return [(one.name, one.default) for one in inspect.signature(function).parameters.values()]

    none = inspect.Parameter.empty
    assert of(discover_urls) == [("base_url", none)]
    assert of(fetch_and_parse) == [("url", none)]
    assert of(chunk_text) == [
        *[(name, none) for name in ("text", "headings", "url", "title")],
        ("max_tokens", 512),
        ("overlap_tokens", 50),
    ]


# discover_urls


def test_the_sitemap_gives_the_urls_below_the_base_sorted_and_each_once() -> None:
    found = sitemap(
        "{site}/docs/b", "{site}/", "{site}/docs/a", "{site}/docs/b", "https://other.example/", "{site}.example/x"
    )
    with website({"/sitemap.xml": found}) as site:
        for base in (site.url, f"{site.url}/"):
            assert discover_urls(base) == [f"{site.url}/", f"{site.url}/docs/a", f"{site.url}/docs/b"]
        assert set(site.paths()) == {"/sitemap.xml"}


def test_a_site_in_a_folder_has_its_sitemap_there() -> None:
    found = sitemap("{site}/book/a", "{site}/bookshop", "{site}/other")
    with website({"/book/sitemap.xml": found}) as site:
        assert discover_urls(f"{site.url}/book/") == [f"{site.url}/book/a"]


def test_an_index_of_sitemaps_is_followed_and_may_lead_to_itself() -> None:
    index = sitemap("{site}/sitemap.xml", "{site}/one.xml", tag="sitemap", root="sitemapindex")
    with website({"/sitemap.xml": index, "/one.xml": sitemap("{site}/a")}) as site:
        assert discover_urls(site.url) == [f"{site.url}/a"]


@pytest.mark.parametrize("missing", [Page("no", 404), page("the page for every address"), Page("<urlset", 200)])
def test_without_a_sitemap_internal_links_are_followed(missing: Page) -> None:
    pages = {
        "/sitemap.xml": missing,
        "/": links("/a", "b/", "https://other.example/", "mailto:x@y.z", "http://["),
        "/a": links("/", "/a#top", "/b/?", "#here", "../c"),
        "/b/": links("/a", "/moved", "/file.pdf", "/gone"),
        "/c": links(),
        "/moved": Page("", 301, headers={"Location": "/c"}),
        "/file.pdf": Page(b"%PDF", content_type="application/pdf"),
    }
    with website(pages) as site:
        assert discover_urls(site.url) == [f"{site.url}{path}" for path in ("/", "/a", "/b/", "/c", "/gone")]
        assert site.paths().count("/a") == 1


@pytest.mark.parametrize("wrong", ["", "textbook.vercel.app", "ftp://site/", "http://", "http://a b/", "file:///etc"])
def test_a_base_that_is_no_url_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="not the URL"):
        discover_urls(wrong)


def test_a_site_that_is_not_there_is_an_error_of_requests() -> None:
    with website({}) as site:
        pass
    with pytest.raises(requests.RequestException):
        discover_urls(site.url)
    with website({"/sitemap.xml": Page("", 500), "/": Page("", 503)}) as site, pytest.raises(requests.HTTPError):
        discover_urls(site.url)


# fetch_and_parse


def test_a_docusaurus_page_gives_its_title_text_and_headings() -> None:
    with website({"/docs/week1": Page(DOCUSAURUS)}) as site:
        title, text, headings = fetch_and_parse(f"{site.url}/docs/week1")
    assert title == "Week 1: ROS 2 Setup | Robotics"
    assert headings == [("h1", "Module 1: ROS 2"), ("h2", "Week 1: Setup"), ("h2", "Installation")]
    assert text.splitlines() == [
        "Module 1: ROS 2", "Installation", "Week 1: Setup", "Installation", "Week 1: Setup",
        "To install ROS 2 Humble, update.", "def f():", "", "    return 1", "Details", "deep",
        "Installation", "a b", "c",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<article><p>a</p></article><p>b</p>", "a"),
        ('<main>x<div class="a markdown">m</div></main>', "m"),
        ("<main>x</main>y", "x"),
        ("x<br>y", "x\ny"),
        ("<article> </article><main>x</main>", "x"),
        ("<article><p>a <!-- not this --> b</p></article>", "a b"),
        ("<article>" + "<div>" * 3000 + "deep" + "</div>" * 3000 + "</article>", "deep"),
    ],
)
def test_the_main_content_is_the_article_or_else_the_next_best(body: str, text: str) -> None:
    with website({"/p": page(body=body)}) as site:
        assert fetch_and_parse(f"{site.url}/p")[1:] == (text, [])


def test_without_a_title_the_path_is_the_title() -> None:
    with website({"/docs/a%20b": Page("<body>x</body>")}) as site:
        assert fetch_and_parse(f"{site.url}/docs/a%20b")[0] == "/docs/a b"


@pytest.mark.parametrize(
    "answer",
    [
        Page("<title>é</title>é".encode(), content_type="text/html"),
        Page("<title>é</title>é".encode("latin-1"), content_type="text/html; charset=iso-8859-1"),
        Page('<meta charset="windows-1252"><title>é</title>é'.encode("cp1252"), content_type="text/html"),
    ],
)
def test_a_page_is_read_in_the_encoding_that_it_is_in(answer: Page) -> None:
    with website({"/p": answer}) as site:
        assert fetch_and_parse(f"{site.url}/p")[:2] == ("é", "é")


@pytest.mark.parametrize("status", [204, 400, 404, 410, 500, 503])
def test_a_status_that_is_not_200_is_an_error(status: int) -> None:
    with website({"/p": Page("", status)}) as site, pytest.raises(requests.HTTPError) as raised:
        fetch_and_parse(f"{site.url}/p")
    assert raised.value.response.status_code == status


def test_a_page_that_drips_for_more_than_30_seconds_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(0, 1000, 10))  # each piece takes ten
    sent: list[int] = []

    def drip(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        while len(sent) < 100:
            handler.wfile.write(b"<p>a")
            handler.wfile.flush()
            sent.append(1)
            threading.Event().wait(0.01)

    monkeypatch.setattr("ragbase.website_pipeline.get.monotonic", lambda: next(seconds))
    with website({"/p": drip}) as site, pytest.raises(requests.Timeout, match="30 s"):
        fetch_and_parse(f"{site.url}/p")
    assert len(sent) < 100


def test_a_page_that_stops_in_the_middle_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.website_pipeline.get.TIMEOUT", 0.2)
    ended = threading.Event()

    def stop(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b"<p>a")
        handler.wfile.flush()
        ended.wait()

    with website({"/p": stop}) as site:
        with pytest.raises(requests.Timeout):
            fetch_and_parse(f"{site.url}/p")
        ended.set()


def test_a_page_that_does_not_answer_within_30_seconds_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    def send(*_arguments: object, timeout: float, **_options: object) -> None:
        assert timeout == 30
        raise requests.ReadTimeout("read timed out")

    monkeypatch.setattr("requests.adapters.HTTPAdapter.send", send)
    with pytest.raises(requests.Timeout):
        fetch_and_parse("http://127.0.0.1/p")


def test_an_endless_page_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.website_pipeline.get.MAX_BODY", 100_000)

    def endless(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"<p>more</p>" * 10_000)

    with website({"/p": endless}) as site, pytest.raises(requests.RequestException, match="more than 100000 bytes"):
        fetch_and_parse(f"{site.url}/p")


# chunk_text


def chunks_of(text: str, headings: list[tuple[str, str]], **sizes: int) -> list[Any]:
    return [dict(chunk) for chunk in chunk_text(text, headings, "https://s/p", "Title", **sizes)]


def test_the_example_of_the_contract() -> None:
    text = "To install ROS 2 Humble..."
    assert chunks_of(text, [("h1", "Module 1"), ("h2", "Installation")]) == [
        {
            "chunk_id": 0,
            "source_url": "https://s/p",
            "page_title": "Title",
            "heading_context": "Module 1 > Installation",
            "text_content": text,
            "token_count": TOKENS.count(text),
            "position_in_page": 0,
        }
    ]


def test_sections_are_cut_where_the_headings_really_stand() -> None:
    with website({"/p": Page(DOCUSAURUS)}) as site:
        title, text, headings = fetch_and_parse(f"{site.url}/p")
    assert [(chunk["heading_context"], chunk["text_content"]) for chunk in chunk_text(text, headings, "u", title)] == [
        ("Module 1: ROS 2", "Installation\nWeek 1: Setup\nInstallation"),
        ("Module 1: ROS 2 > Week 1: Setup",
         "To install ROS 2 Humble, update.\ndef f():\n\n    return 1\nDetails\ndeep"),
        ("Module 1: ROS 2 > Installation", "a b\nc"),
    ]  # fmt: skip


def test_a_heading_in_front_of_the_content_is_above_it() -> None:
    with website({"/p": page(body="<h1>Guide</h1><article>Intro<h2>Guide</h2>Guide</article>")}) as site:
        title, text, headings = fetch_and_parse(f"{site.url}/p")
    found = chunk_text(text, headings, "u", title)
    assert [(one["heading_context"], one["text_content"]) for one in found] == [
        ("Guide", "Intro"),
        ("Guide > Guide", "Guide"),
    ]


def test_in_a_plain_text_a_heading_is_a_line() -> None:
    text = "Before\nModule 1\nIntro\nA  \ninstall A first\nB\nabout B\nModule 2\nA\nlast"
    headings = [("h1", "Module 1"), ("h2", "A"), ("h2", "not there"), ("h2", "B"), ("h1", "Module 2"), ("h2", "A")]
    assert [(one["heading_context"], one["text_content"]) for one in chunks_of(text, headings)] == [
        ("No heading", "Before"),
        ("Module 1", "Intro"),
        ("Module 1 > A", "install A first"),
        ("Module 1 > B", "about B"),
        ("Module 2 > A", "last"),
    ]


def test_a_heading_without_a_text_is_skipped_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ragbase.website_pipeline"):
        found = chunks_of("A\nB\ntext\nC\n", [("h1", "A"), ("h2", "B"), ("h2", "C")])
    assert [one["heading_context"] for one in found] == ["A > B"]
    assert [record.getMessage() for record in caplog.records] == [
        "No text after heading: A (https://s/p)",
        "No text after heading: A > C (https://s/p)",
    ]


def test_without_headings_the_context_says_so() -> None:
    assert [one["heading_context"] for one in chunks_of("word " * 2000, [])] == ["No heading"] * 5


@pytest.mark.parametrize("empty", ["", " \n\t"])
def test_an_empty_text_is_refused(empty: str) -> None:
    with pytest.raises(ValueError, match="no text"):
        chunks_of(empty, [])


@pytest.mark.parametrize("sizes", [(0, 0), (10, 10), (10, -1)])
def test_sizes_that_would_never_end_are_refused(sizes: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="cannot repeat"):
        chunks_of("text", [], max_tokens=sizes[0], overlap_tokens=sizes[1])


def test_a_long_section_is_cut_at_the_size_with_the_overlap() -> None:
    text = "Head\n" + " ".join(f"word{number}" for number in range(1500))
    found = chunks_of(text, [("h1", "Head")])
    assert {one["heading_context"] for one in found} == {"Head"}
    assert [one["position_in_page"] for one in found] == [*range(len(found))] == [one["chunk_id"] for one in found]
    assert [one["token_count"] for one in found[:-1]] == [512] * (len(found) - 1)
    for before, after in pairwise(one["text_content"] for one in found):
        overlap = next(size for size in range(len(before), 0, -1) if after.startswith(before[-size:]))
        assert TOKENS.count(before[-overlap:]) == 50


@given(st.text(min_size=1).filter(str.strip), st.integers(1, 12), st.data())
def test_no_text_is_lost_and_no_chunk_is_too_long(text: str, size: int, data: st.DataObject) -> None:
    found = chunks_of(text, [], max_tokens=size, overlap_tokens=data.draw(st.integers(0, size - 1)))
    rest = text.strip()
    reached = 0
    for one in found:
        piece = one["text_content"]
        assert one["token_count"] == TOKENS.count(piece)
        assert one["token_count"] <= size or len(piece) == 1
        begins = [place for place in range(len(rest)) if rest.startswith(piece, place)]
        follows = [place for place in begins if place <= reached or not rest[reached:place].strip()]
        assert follows
        reached = max(reached, *(place + len(piece) for place in follows))
    assert reached == len(rest)
