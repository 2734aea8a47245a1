"""HTML as Markdown: the main content of a page, without what stands around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.html.html import MAX_PAGE

SITES = Path(__file__).parents[2] / "data" / "sites"
"""Pages of documentation, each with the Markdown that it becomes."""

PAGE = """<!DOCTYPE html>
<html lang="en"><head>
<title>Sails – Boats</title>
<meta name="keywords" content="sails, wind">
<meta property="article:published_time" content="2024-03-01">
<link rel="canonical" href="https://example.org/sails">
<style>.x { color: red }</style><script>var words = "script words";</script>
</head><body>
<header><a href="/">Banner</a></header>
<nav><ul><li><a href="/a">Navigation</a></li></ul></nav>
<div id="cookie-banner" class="fixed">We use cookies. <button>Accept</button></div>
<div class="page">
<article>
<h1>Sails<a class="headerlink" href="#sails">¶</a></h1>
<p>The <b>wind</b> fills the <a href="https://example.org/sail">sail</a> &amp; it moves; see <code>trim()</code>.</p>
<h2>Kinds</h2>
<table><tr><th>Name</th><th>Masts</th></tr><tr><td>Sloop</td><td>1</td></tr></table>
<pre><code class="language-python">def trim(sail):
    return sail &lt; 3
</code></pre>
<ul><li>one</li><li>two</li></ul>
<div class="cookie-recipe">Bake the cookies.</div>
<aside>A note.</aside>
</article>
</div>
<footer>Footer words</footer>
</body></html>
"""
MARKDOWN = """# Sails

The **wind** fills the [sail](https://example.org/sail) & it moves; see `trim()`.

## Kinds

| Name | Masts |
| --- | --- |
| Sloop | 1 |

```python
def trim(sail):
    return sail < 3
```

- one
- two

Bake the cookies.

A note."""


def extract(page: str | bytes, limits: ExtractionLimits | None = None) -> Extraction:
    return FormatExtractor(limits).extract(page.encode() if isinstance(page, str) else page, "html", ProcessingConfig())


def markdown(page: str | bytes) -> str:
    return extract(page).markdown


def test_the_main_content_is_kept_as_markdown() -> None:
    assert markdown(PAGE) == MARKDOWN


def test_a_page_says_what_it_is_about() -> None:
    assert extract(PAGE).metadata == DocumentMetadata(
        title="Sails – Boats", tags=("sails", "wind"), date="2024-03-01", url="https://example.org/sails"
    )
    og = '<meta property="og:title" content="Sails"><meta property="article:tag" content="boats,sea"><title>x</title>'
    page = f"<html><head>{og}</head><body><main>Text <time datetime='2024-05-05'>May</time></main></body></html>"
    assert extract(page).metadata == DocumentMetadata(title="Sails", tags=("boats", "sea"), date="2024-05-05")
    article = "<article>Text<footer><a rel=tag>boats</a><a rel=tag>sea</a></footer></article>"
    assert extract(f"<html><body>{article}</body></html>").metadata.tags == ("boats", "sea")
    assert extract(f"<html><body>{article}{article}</body></html>").metadata.tags == ()


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("<main>main <article>article</article></main>", "article"),
        ("<main>main <div class='markdown'>marked</div></main>", "marked"),
        ("<p>around</p><main>main</main>", "main"),
        ("<p>around</p><div role='main'>main</div>", "main"),
        ("<header>top</header><p>body</p><aside>side</aside><footer>end</footer>", "body"),
        ("<article> </article><main>main</main>", "main"),
        (
            "<article>one</article><p>between</p><article>two <article>nested</article></article>",
            "one\n\ntwo\n\nnested",
        ),
    ],
    ids=["article", "markdown", "main", "role", "body", "empty article", "articles"],
)
def test_where_the_main_content_is(body: str, content: str) -> None:
    assert markdown(f"<html><body>{body}</body></html>") == content


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("cp1252", '<meta charset="iso-8859-1">'),
        ("cp1251", '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">'),
        ("shift_jis", '<meta charset="shift_jis">'),
        ("utf-8", '<meta charset="iso-8859-1">'),
        ("utf-16", ""),
        ("utf-8-sig", '<meta charset="windows-1251">'),
        ("cp1252", '<meta charset="no-such-charset">'),
        ("cp1252", '<meta charset="base64">'),
    ],
)
def test_the_declared_encoding_is_used_where_it_fits(encoding: str, declared: str) -> None:
    text = {"cp1251": "Привет, мир", "shift_jis": "日本の首都は東京です"}.get(encoding, "Der Fluß überquert die Straße")
    assert markdown(f"<html><head>{declared}</head><body>{text}</body></html>".encode(encoding)) == text


@pytest.mark.parametrize("promised", ["txt", "md", "json", "csv", "jsonl", "html"])
@pytest.mark.parametrize(
    "page",
    ["<!doctype HTML><p>x", "\ufeff<HTML>\n", "<?xml version='1.0'?>\n<!-- x -->\n<html xmlns='x'>", "<body class=a>"],
    ids=range(4),
)
def test_a_page_is_html_whatever_its_name(page: str, promised: str) -> None:
    assert FormatExtractor().detect(page.encode(), promised) == "html"


@pytest.mark.parametrize("text", ["<h1>Markdown</h1>\n", "Use <html> here.\n", "<!-- a comment -->\n# Title\n"])
def test_markdown_may_have_elements(text: str) -> None:
    assert FormatExtractor().detect(text.encode(), "md") == "md"


def test_a_text_under_the_name_of_a_page_stays_as_it_is() -> None:
    assert extract("a < b,\n\n  and b > c\n") == Extraction("a < b,\n\n  and b > c\n")


@pytest.mark.slow
def test_what_is_nested_too_deep_is_read_as_plain_text() -> None:
    page = "<html><body>" + "<div>" * 100_000 + "deep &amp; far" + "</div>" * 100_000 + "<script>no</script><p>end"
    extraction = extract(page)
    assert extraction.markdown == "deep & far\n\nend"
    assert "plain text" in extraction.notes[0]


@pytest.mark.slow
def test_a_page_that_is_too_large_for_the_parser_is_read_as_plain_text() -> None:
    extraction = extract("<html><body><main>" + "<p>Some words.</p>\n" * (MAX_PAGE // 16))
    assert extraction.markdown.startswith("Some words.\n\nSome words.")
    assert "plain text" in extraction.notes[0]


def test_unclosed_styles_do_not_multiply() -> None:
    page = "<html><body>" + "".join(f"<font size={n}>" for n in range(300)) + "<p>word" * 2_000
    assert markdown(page).split() == ["word"] * 2_000


def test_many_elements_that_need_no_end_are_not_deep() -> None:
    page = "<html><body>" + "<p>one<br>two<li>three" * 1_000
    assert extract(page).notes == ()
    assert markdown(page).count("three") == 1_000


def test_no_nul_reaches_a_database() -> None:
    assert markdown("<p>a&#0;b\0c</p><p>" + "word " * 50).startswith("a\ufffdb")


def test_a_page_that_unpacks_to_too_much_text() -> None:
    page = "<html><body>" + "<ul><li>x" * 50
    with pytest.raises(PermanentError, match="unpacks to more than 600") as caught:
        extract(page, ExtractionLimits(max_text_characters=600))
    assert caught.value.code is ErrorCode.FILE_TOO_LARGE


def test_a_page_without_a_body_has_no_text() -> None:
    assert markdown("<html><head><title>x</title></head><frameset></frameset></html>") == ""


@pytest.mark.parametrize(
    ("body", "content"),
    [
        ("<h2 id=a>Start<a class=hash-link href='#a' title='Direct link'>\u200b</a></h2>", "## Start"),
        (
            "<h2 id=a>Start <a class=header-anchor href='#a'>#</a></h2><p>See <a href='#a'>there</a>.",
            "## Start\n\nSee [there](#a).",
        ),
        ("<p>Words.</p><div><a href='https://x.org/edit/main/a.md'>Edit this page</a></div>", "Words."),
        ("<a href='https://x.org/edit/a.md' title='Edit this page'><svg></svg></a><p>Words.</p>", "Words."),
        ("<p>Words.</p><div><a href='https://x.org/blob/a.md'>Edit on GitHub</a></div>", "Words."),
        ("<p>See <a href='edit.html'>Edit a record</a>.</p>", "See [Edit a record](edit.html)."),
        ("<div class='highlight-python notranslate'><div><pre>x = 1</pre></div></div>", "```python\nx = 1\n```"),
        ("<div class='language-sh x'><span class=lang>sh</span><pre><code>ls</code></pre></div>", "```sh\nls\n```"),
        ("<div class='highlight-default'><pre>x</pre></div>", "```\nx\n```"),
        ("<div class='language-js'><pre><code class='language-ts'>x</code></pre></div>", "```ts\nx\n```"),
        ("<p>10<sup>6</sup> and x<sup>-n</sup>, the 1<sup>st</sup></p>", "10^6 and x^-n, the 1st"),
        (
            "<p><math><mi>x</mi><annotation encoding='application/x-tex'>x^2 </annotation></math>"
            "<span aria-hidden=true>x</span>",
            "$x^2$",
        ),
        (
            "<dl><dt>Sail<dd>A cloth.</dl><details><summary>More</summary><p>Text.</details>",
            "Sail\n\nA cloth.\n\n**More**\n\nText.",
        ),
        (
            "<table><tr><th>A<th>B<tr><td>x<br>y | z<td><table><tr><td>in<td>ner</table></table>",
            "| A | B |\n| --- | --- |\n| x y \\| z | in ner |",
        ),
        (
            "<table class=highlighttable><tr><th class=filename>a.py<tr><td class=linenos><pre>1\n2</pre>"
            "<td class=code><pre><code>if x:\n  y</code></pre></table>",
            "a.py\n\n```\nif x:\n  y\n```",
        ),
        (
            "<div><div role=tablist><button role=tab>A</button><button role=tab>B</button></div>"
            "<div role=tabpanel>one<div><ul role=tablist><li role=tab>C</ul><p role=tabpanel>in</div></div>"
            "<div role=tabpanel hidden>two</div></div>",
            "**A**\n\none\n\n**C**\n\nin\n\n**B**\n\ntwo",
        ),
        ("<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><p role=tabpanel>one</div>", "- A\n- B\n\none"),
        (
            "<header><h1>Guides</h1><p>How to.</header><article><h2>One</h2></article><article><h2>Two</h2></article>",
            "# Guides\n\nHow to.\n\n## One\n\n## Two",
        ),
        ("<h1>Guides</h1><p>Around</p><article><p>One</article>", "# Guides\n\nOne"),
        ("<p>Words.</p><footer>Tags: <a rel=tag href=/t>sail</a></footer>", "Words."),
    ],
    ids=range(20),
)
def test_what_pages_of_documentation_have(body: str, content: str) -> None:
    assert markdown(f"<!doctype html><html><body><main>{body}</main></body></html>") == content


@pytest.mark.parametrize("page", sorted(SITES.glob("*.html")), ids=lambda page: page.stem)
def test_a_page_of_a_generator_becomes_the_text_of_its_author(page: Path) -> None:
    assert markdown(page.read_text(encoding="utf-8")) == page.with_suffix(".md").read_text(encoding="utf-8").rstrip()
