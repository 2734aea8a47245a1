"""A website as a source: which pages it has, what they are called, and what a second look costs."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ragbase.domain.errors import EntryChanged, Unavailable, UnreadableFile, UnreadableSource
from ragbase.ports import SourceEntry
from ragbase.sources.page_look import Remembered
from ragbase.sources.page_name import canonical_url, page_name
from ragbase.sources.site_source import SiteSource
from tests.contract.web_server import Page, Website, website

OWN = frozenset(["127.0.0.1"])


def html(*links: str, **headers: str) -> Page:
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return Page(f"<html><body>{anchors}</body></html>", headers={k.replace("_", "-"): v for k, v in headers.items()})


def urlset(*pages: str) -> Page:
    return Page("<urlset>" + "".join(f"<url><loc>{page}</loc></url>" for page in pages) + "</urlset>")


@contextmanager
def source(url: str, **options: Any) -> Iterator[SiteSource]:
    source = SiteSource(url, allowed_hosts=OWN, wait=options.pop("wait", lambda _seconds: None), **options)
    try:
        yield source
    finally:
        source.close()


def names(site: Website, path: str = "/", **options: Any) -> list[str]:
    with source(site.url + path, **options) as opened:
        return sorted(entry.name for entry in opened.entries() if entry.left_out is None)


def left_out(site: Website, **options: Any) -> dict[str, str]:
    """The kinds of what is left out, by the path of the address."""
    with source(f"{site.url}/", **options) as opened:
        found = [(entry.url or "", entry.left_out) for entry in opened.entries()]
    return {url.removeprefix(site.url): why.many for url, why in found if why is not None}


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://s/d/", "index.html"),
        ("https://s/d", "index.html"),
        ("https://S:443/d/index.html#top", "index.html"),
        ("https://s/d/a", "a.html"),
        ("https://s/d/a/", "a.html"),
        ("https://s/d/a.html", "a.html"),
        ("https://s/d/a%20b/c.HTM", "a b/c.HTM"),
        ("https://s/d/a?q=1&r=/x", "a@q=1&r=%2Fx.html"),
        ("https://s/d//a/", "a.html"),
        ("https://s/d/v1.2", "v1.2.html"),
    ],
)
def test_a_page_has_a_stable_name(url: str, name: str) -> None:
    assert page_name(canonical_url(url) or "", "https://s/d/") == name


@pytest.mark.parametrize("path", ["..%2F..%2Fetc", "%2e%2e/x", "a%00b", "%ff", "x" * 400, "a/%2E/b"])
def test_no_address_makes_a_name_that_leads_elsewhere(path: str) -> None:
    parts = page_name(f"https://s/{path}", "https://s/").split("/")
    assert all(part not in ("", ".", "..") and part.isprintable() and len(part.encode()) < 200 for part in parts)


def test_the_pages_of_the_sitemaps_are_found() -> None:
    pages = {
        "/sitemap.xml": Page("<sitemapindex><sitemap><loc>{site}/more.xml.gz</loc></sitemap></sitemapindex>"),
        "/robots.txt": Page("Sitemap: {site}/third.xml\nUser-agent: *\nDisallow: /secret", content_type="text/plain"),
        "/third.xml": urlset("{site}/c", "{site}/secret/d", "https://elsewhere.example/e"),
        "/a": html("/not-followed"),
        "/c": html(),
        "/f.pdf": Page(b"%PDF", content_type="application/pdf"),
        "/secret/d": html(),
    }
    with website(pages) as site:
        listed = f"<urlset><url><loc>{site.url}/a</loc></url><url><loc>{site.url}/f.pdf</loc></url></urlset>"
        site.pages["/more.xml.gz"] = Page(gzip.compress(listed.encode()), content_type="application/gzip")
        assert names(site) == ["a.html", "c.html"]
        assert "/secret/d" not in site.paths()
        assert left_out(site) == {"/secret/d": "pages that robots.txt forbids", "/f.pdf": "PDFs"}
        assert {headers["User-Agent"] for _, headers in site.asked} == {"ragbase"}


def test_without_a_sitemap_links_are_followed_within_the_folder() -> None:
    pages = {
        "/docs": Page("", 301, headers={"Location": "/docs/"}),
        "/docs/": html("a", "/docs/a/", "/docs/a#x", "b/c", "/elsewhere", "https://other.example/", "mailto:x@y.z"),
        "/docs/a": html("/docs/index.html", "/docs/moved"),
        "/docs/a/": html(),
        "/docs/b/c": html(),
        "/docs/moved": Page("", 301, headers={"Location": "/docs/b/d"}),
        "/docs/b/d": html("/docs/gone"),
    }
    with website(pages) as site:
        assert names(site, "/docs") == ["a.html", "b/c.html", "b/d.html", "index.html"]
        assert site.paths().count("/docs/a") == 1
        with source(f"{site.url}/docs") as opened:
            host = site.url.removeprefix("http://")
            assert (opened.address, opened.root) == (f"{site.url}/docs/", f"{host}/docs/")


def test_a_sitemap_of_the_real_host_means_the_same_paths_here() -> None:
    with website({"/sitemap.xml": urlset("https://real.example/a", "https://real.example/"), "/a": html()}) as site:
        site.pages["/"] = html()
        assert names(site) == ["a.html", "index.html"]


@pytest.mark.parametrize("mapped", [True, False], ids=["sitemap", "links"])
@pytest.mark.parametrize("validator", ["ETag", "Last-Modified"])
def test_an_unchanged_page_costs_one_conditional_request(mapped: bool, validator: str) -> None:
    value = 'W/"1"' if validator == "ETag" else "Mon, 23 Nov 2026 10:00:00 GMT"
    asks = "If-None-Match" if validator == "ETag" else "If-Modified-Since"

    def page(body: str) -> Any:
        def answer(handler: Any) -> None:
            same = handler.headers.get(asks) == value
            handler.send_response(304 if same else 200)
            handler.send_header(validator, value)
            handler.send_header("Content-Type", "text/html")
            handler.send_header("Content-Length", "0" if same else str(len(body)))
            handler.end_headers()
            handler.wfile.write(b"" if same else body.encode())

        return answer

    with website({"/": page('<a href="/a">a</a>'), "/a": page("a")}) as site:
        if mapped:
            site.pages["/sitemap.xml"] = urlset("{site}/", "{site}/a")
        kept: dict[str, Remembered] = {}
        with source(site.url, remembered=kept.get) as opened:
            first = list(opened.entries())
            for entry in first:
                body = b"".join(opened.read(entry))
                kept[entry.name] = Remembered(entry.mark, lambda body=body: body)  # type: ignore[misc]  # bound now
            site.asked.clear()
            assert list(opened.entries()) == first
        pages = [headers for path, headers in site.asked if path in ("/", "/a")]
        assert len(first) == len(pages) == 2
        assert all(headers[asks] == value for headers in pages)


def test_a_page_without_validators_has_another_mark_if_it_changes() -> None:
    with website({"/": Page("one")}) as site, source(site.url) as opened:
        (first,) = opened.entries()
        assert list(opened.entries()) == [first]
        site.pages["/"] = Page("two")
        (second,) = opened.entries()
        assert (first.name, first.url) == (second.name, second.url)
        assert first.mark != second.mark


def test_a_page_is_asked_for_once_and_never_taken_for_another() -> None:
    with website({"/": html(ETag='"1"')}) as site, source(site.url) as opened:
        (entry,) = opened.entries()
        site.pages["/"] = html("/new", ETag='"2"')
        assert b"".join(opened.read(entry)) == b"<html><body></body></html>"
        assert site.paths().count("/") == 1
        with pytest.raises(EntryChanged, match="changed"):
            list(opened.read(entry))
        site.pages["/"] = Page("", 404)
        with pytest.raises(EntryChanged, match="removed"):
            list(opened.read(entry))


def canonical(url: str, *links: str) -> Page:
    return Page(f'<head><link rel="canonical" href="{url}"></head>' + str(html(*links).body))


@pytest.mark.parametrize("mapped", [True, False], ids=["sitemap", "links"])
def test_a_copy_of_another_page_of_the_site_is_left_out(mapped: bool) -> None:
    pages = {
        "/": html("/print/a", "/a?from=mail", "/here", "/there", "/lost", "/one", "/home"),
        "/a": canonical("/a"),
        "/a?from=mail": canonical("{site}/a#top"),
        "/print/a": canonical("{site}/a/"),
        "/here": canonical("https://elsewhere.example/here"),
        "/there": canonical("/here"),
        "/lost": canonical("/not-there"),
        "/one": canonical("/two"),
        "/two": canonical("/one"),
        "/home": canonical("{site}/"),
    }
    with website(pages) as site:
        if mapped:
            site.pages["/sitemap.xml"] = urlset(*(f"{{site}}{path}" for path in pages if path not in ("/a", "/two")))
        assert names(site) == ["a.html", "here.html", "home.html", "index.html", "lost.html", "one.html"]
        assert set(left_out(site).values()) == {"copies of other pages"}
        assert {"/a?from=mail", "/print/a", "/there"} <= left_out(site).keys()


@pytest.mark.parametrize("mapped", [True, False], ids=["sitemap", "links"])
def test_pdfs_are_taken_if_asked_for(mapped: bool) -> None:
    pdf = Page(b"%PDF-1.4", content_type="application/pdf")
    with website({"/": html("/more/a.pdf?v=1", "/b"), "/more/a.pdf?v=1": pdf, "/b": html()}) as site:
        if mapped:
            site.pages["/sitemap.xml"] = urlset("{site}/")
        pages = ["index.html"] if mapped else ["b.html", "index.html"]
        assert names(site) == pages
        assert names(site, pdf=True) == sorted([*pages, "more/a@v=1.pdf"])


def test_a_page_that_cannot_be_read_stays_and_says_why() -> None:
    pages = {"/sitemap.xml": urlset("{site}/a", "{site}/b", "{site}/c"), "/a": html(), "/b": Page("", 500)}
    with website({**pages, "/c": Page("", 404)}) as site, source(site.url) as opened:
        entries = {entry.name: entry for entry in opened.entries()}
        assert [*entries] == ["a.html", "b.html"]
        with pytest.raises(UnreadableFile, match="status 500"):
            list(opened.read(entries["b.html"]))


def test_a_server_that_fails_for_every_page_ends_the_listing() -> None:
    with website({"/sitemap.xml": urlset(*(f"{{site}}/{n}" for n in range(100)))}) as site:
        site.pages |= {f"/{n}": Page("", 500) for n in range(100)}
        with pytest.raises(Unavailable, match="9 pages before"):
            names(site)
        assert len(site.asked) == 12


@pytest.mark.parametrize("path", ["/robots.txt", "/sitemap.xml", "/"])
def test_what_cannot_be_seen_is_not_taken_for_gone(path: str) -> None:
    with website({path: Page("", 500)}) as site, pytest.raises(Unavailable, match="500"):
        names(site)


def test_a_server_that_asks_for_patience_gets_it() -> None:
    waits: list[float] = []
    answers = [Page("", 429, headers={"Retry-After": "7"}), Page("", 503), html()]

    def page(handler: Any) -> None:
        now = answers.pop(0)
        handler.send_response(now.status)
        for name, value in {**now.headers, "Content-Length": "0", "Content-Type": "text/html"}.items():
            handler.send_header(name, value)
        handler.end_headers()

    robots = Page("User-agent: *\nCrawl-delay: 3", content_type="text/plain")
    with website({"/": page, "/robots.txt": robots}) as site:
        assert names(site, wait=waits.append) == ["index.html"]
    assert waits == [3, 3, 7, 3, 1, 3]  # the sitemap, then the page three times


def test_a_site_of_endless_pages_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.sources.page_queue.MAX_URLS", 20)

    def page(handler: Any) -> None:
        body = f'<a href="{handler.path}x">x</a>'.encode()
        handler.send_response(200 if handler.path not in ("/robots.txt", "/sitemap.xml") else 404)
        handler.send_header("Content-Type", "text/html")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    class Endless(dict[str, Any]):
        def get(self, path: str, default: Any = None) -> Any:
            return page

    with website({}) as site:
        site.pages = Endless()
        with pytest.raises(UnreadableSource, match="20 pages"):
            names(site)


def test_a_site_inside_is_not_read() -> None:
    with website({"/": html()}) as site:
        opened = SiteSource(site.url)
        with pytest.raises(UnreadableSource, match="allowed_hosts"):
            list(opened.entries())
        with pytest.raises(UnreadableFile, match="allowed_hosts"):
            list(opened.read(SourceEntry(name="index.html", mark="x", url=f"{site.url}/")))
        opened.close()
        assert site.asked == []


def test_a_redirect_of_a_page_to_the_inside_reaches_nothing() -> None:
    with website({}) as inside, website({}) as site:
        there = inside.url.replace("127.0.0.1", "localhost")
        site.pages |= {"/": html("/a"), "/a": Page("", 302, headers={"Location": f"{there}/secret"})}
        assert names(site) == ["a.html", "index.html"]  # reading a.html says why it cannot be
        assert inside.asked == []


def test_what_is_no_website_is_refused() -> None:
    with pytest.raises(UnreadableSource, match="no address"):
        SiteSource("https://user@site.example/")


def test_what_is_no_page_of_the_site_is_left_out_and_named() -> None:
    pages = {
        "/docs/": html("data.zip", "moved", "b"),
        "/docs/data.zip": Page(b"PK", content_type="application/zip"),
        "/docs/moved": Page("", 301, headers={"Location": "/other/"}),
        "/other/": html(),
        "/docs/b": html(),
    }
    with website(pages) as site, source(f"{site.url}/docs/") as opened:
        entries = list(opened.entries())
    assert sorted(entry.name for entry in entries if entry.left_out is None) == ["b.html", "index.html"]
    kinds = {entry.url: (entry.left_out.many, entry.left_out.ending) for entry in entries if entry.left_out is not None}
    assert kinds == {
        f"{site.url}/docs/data.zip": ("files that are no pages", "application/zip"),
        f"{site.url}/docs/moved": ("pages that lead out of the site", ""),
    }
