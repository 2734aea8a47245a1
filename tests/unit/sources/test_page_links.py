"""Where a page leads, as a browser finds it, and in a time that grows with the page."""

from __future__ import annotations

import pytest

from ragbase.sources.page_links import PageLinks
from tests.unit.formats.limited import limited

URL = "https://example.com/docs/a"
HOSTILE = {
    "attributes": "<p " + " ".join(f"a{number}" for number in range(150_000)) + ">",
    "attributes of frames": "".join(f"<body a{number}>" for number in range(50_000)),
    "nested": "<div>" * 150_000,
    "styles": "<p><b>" * 100_000,
    "options": "<select>" + "<option>a" * 100_000 + "</select>",
    "less-thans": "<a" * 250_000 + ">",
    "comments": "<!--" * 150_000 + "-->",
    "links": "<a href=b>b</a>" * 75_000,
    "a long base": f"<base href=/{'a/' * 250_000}>" + "".join(f"<a href=b#{number}>" for number in range(25_000)),
    "slashes": f"<a{'/' * 500_000}>",
    "blanks": f"<a x{' ' * 500_000}>",
    "quotation marks": f"<a {'x= ' * 150_000}y=' >",
}


def links(page: str) -> list[str]:
    """Each once, as the queue of a site takes them."""
    found = PageLinks(page.encode(), URL).all()
    return list(dict.fromkeys(link.removeprefix("https://example.com") for link in found))


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_page(hostile: str) -> None:
    page = HOSTILE[hostile] + "<a href=b>b</a>"
    assert limited(lambda: links(page)) == ["/docs/b"]


def test_what_is_too_long_for_an_address_is_none() -> None:
    long = "a" * 2048
    assert links(f"<a href={long}><a href=/{'a' * 2027}><a href=b>") == [f"/{'a' * 2027}", "/docs/b"]
    assert links(f"<base href=/{long}/><a href=b>") == ["/docs/b"]


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<a href=b><a HREF='c#d'><A href=\"e?f=1&amp;g\"><a href=b>", ["/docs/b", "/docs/c", "/docs/e?f=1&g"]),
        ("<a href=b rel='x nofollow'><a name=b><abbr href=b><link href=b>", []),
        ("<a title='>' href=b href=c>", ["/docs/b"]),
        ("<!-- <a href=b> --><script>'<a href=b>'</script><template><a href=b></template><a href=c>", ["/docs/c"]),
        ("<svg><a href=b><title><a href=c></title></svg>", ["/docs/b", "/docs/c"]),
        ("<base href=/x/><base href=/y/><a href=b>", ["/x/b"]),
        ("<base href='http://[a/'><a href=b>", ["/docs/b"]),
        ("<a href=b", ["/docs/b"]),
        ("<noscript><a href=b></noscript>", ["/docs/b"]),
        ("<a href='  b\n'><a href=''>", ["/docs/b", "/docs/a"]),
    ],
)
def test_links(page: str, found: list[str]) -> None:
    assert links(page) == found


@pytest.mark.parametrize(
    ("page", "named"),
    [
        ("<head><link rel=canonical href=b></head>", "b"),
        ("<!doctype html>\n<title>t</title>\n<link rel='x canonical' href=b><link rel=canonical href=c>", "b"),
        ("<html><head></head><link rel=canonical href=b><body>", "b"),
        ("<script>a</script><style>b</style><!-- c --><link rel=canonical href=b>", "b"),
        ("<body><link rel=canonical href=b>", None),
        ("text<link rel=canonical href=b>", None),
        ("<p><link rel=canonical href=b>", None),
        ("<template><link rel=canonical href=b></template>", None),
        ("<head><link rel=canonical>", None),
    ],
)
def test_the_address_that_a_page_wants(page: str, named: str | None) -> None:
    assert PageLinks(page.encode(), URL).canonical() == (named and f"https://example.com/docs/{named}")
