"""HTML and XHTML that a parser, a converter or a search through a tree may take long for."""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable

Make = Callable[[int], str]
"""A text of about so many characters."""

WORDS = "Wind fills the sail of a boat. "
PAGE = "<!doctype html><html><head><title>T</title></head><body><main><h1>Sail</h1><p>" + WORDS * 4 + "</p>"
XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>Wind</p>'
SPACED = '<html xmlns:x="x">'


def repeated(unit: str, before: str = PAGE, after: str = "") -> Make:
    """`unit` again and again; `{n}` in it is its number."""
    if "{n}" not in unit:
        return lambda size: before + unit * ((size - len(before) - len(after)) // len(unit)) + after
    return lambda size: before + "".join(unit.replace("{n}", f"{n:x}") for n in range(size // (len(unit) + 2))) + after


def nested(opening: str, closing: str, before: str = PAGE, within: str = WORDS) -> Make:
    """`opening` again and again, and each is closed."""

    def make(size: int) -> str:
        count = (size - len(before)) // (len(opening) + len(closing))
        return before + opening * count + within + closing * count

    return make


def mirrored(first: Make, second: Make) -> Make:
    """Half of the size each."""
    return lambda size: first(size // 2) + second(size // 2)


PAGES: dict[str, Make] = {
    "attributes of one tag": repeated(" a{n}", PAGE + "<p", ">text</p>"),
    "attributes with values": repeated(' a{n}="v"', PAGE + "<p", ">text</p>"),
    "attributes of one end tag": repeated(" a{n}", PAGE + "<p>text</p", ">"),
    "attributes of tags of 900": lambda size: (
        PAGE + f"<p {' '.join(f'a{n:x}' for n in range(900))}>text</p>" * (size // 4_500)
    ),
    "attributes of tags of 100": lambda size: (
        PAGE + f"<p {' '.join(f'a{n:x}' for n in range(100))}>text</p>" * (size // 450)
    ),
    "attributes of body tags": repeated("<body a{n}>"),
    "attributes of html tags": repeated("<html a{n}>"),
    "attributes never closed": repeated(" a{n}", PAGE + "<p"),
    "attributes in a drawing": repeated(" a{n}", PAGE + "<svg><g", "/></svg>"),
    "attributes of a formatting tag": repeated(" a{n}", PAGE + "<b", "><p>x<p>x<p>x"),
    "equal attributes": repeated(" a=1", PAGE + "<p", ">text</p>"),
    "long attribute": repeated("a", PAGE + '<p title="', '">text</p>'),
    "long attribute name": repeated("a", PAGE + "<p ", ">text</p>"),
    "long tag name": repeated("a", PAGE + "<", ">text"),
    "tag names of all kinds": repeated("<x{n}>a</x{n}>"),
    "attribute names of all kinds": repeated("<p x{n}>a"),
    "classes of one element": repeated(" c{n}", PAGE + '<p class="', '">text</p>'),
    "quotes in a tag": repeated("\"'", PAGE + "<p "),
    "equal signs in a tag": repeated("= ", PAGE + "<p "),
    "slashes in a tag": repeated("/ ", PAGE + "<p "),
    "divs": repeated("<div>"),
    "closed divs": nested("<div>", "</div>"),
    "closed spans": nested("<span>", "</span>"),
    "sections": nested("<section>", "</section>"),
    "divs with text": repeated("<div>a"),
    "divs of 400": lambda size: PAGE + ("<div>" * 400 + "a" + "</div>" * 400) * (size // 4_400),
    "spans of 400 with words": lambda size: PAGE + ("<span>a " * 400 + "</span>" * 400) * (size // 6_000),
    "end tags": repeated("</div>"),
    "end tags of p": repeated("</p>"),
    "end tags of br": repeated("</br>"),
    "end tags that open nothing": repeated("</x{n}>"),
    "paragraphs": repeated("<p>"),
    "paragraphs with text": repeated("<p>a b"),
    "bold": repeated("<b>"),
    "bold in paragraphs": repeated("<p><b>a"),
    "bold 19 and paragraphs": repeated("<p>a", PAGE + "<b><i><u><s><em>" * 3),
    "bold with attributes": repeated("<b a{n}>"),
    "bold and italic crossed": repeated("<b><i>a</b></i>"),
    "bold across blocks": repeated("<b><div>a</b>"),
    "links in links": repeated("<a>a"),
    "links": repeated("<a href='{n}'>a</a> "),
    "links with blocks": repeated("<a href=x><div>a</a>"),
    "anchors closed in blocks": repeated("<a><p></a>"),
    "nobr": repeated("<nobr>a"),
    "forms": repeated("<form><input>"),
    "buttons": repeated("<button>a"),
    "selects": repeated("<select><option>a"),
    "options": repeated("<option>a", PAGE + "<select>"),
    "optgroups": repeated("<optgroup><option>a", PAGE + "<select>"),
    "tables": repeated("<table>"),
    "tables in cells": repeated("<table><tr><td>"),
    "tables in cells, few": lambda size: PAGE + ("<table><tr><td>" * 90 + "a" + "</table>" * 90) * (size // 2_100),
    "text in tables": repeated("a<tr>", PAGE + "<table>"),
    "tags in tables": repeated("<b>a", PAGE + "<table>"),
    "divs in tables": repeated("<div>a</div>", PAGE + "<table>"),
    "rows": repeated("<tr><td>a", PAGE + "<table>"),
    "rows with headers": repeated("<tr><th>a{n}<td>b", PAGE + "<table>"),
    "header rows": repeated("<tr><th>a<th>b", PAGE + "<table>", "<tr><td>c"),
    "cells of one row": repeated("<td>a", PAGE + "<table><tr>"),
    "header cells, then rows": lambda size: (
        PAGE + "<table><tr>" + "<th>a" * (size // 10) + "<tr><td>b<td>c" * (size // 28)
    ),
    "ragged table": lambda size: PAGE + "<table><tr>" + "<td>a" * (size // 10) + "<tr><td>" * (size // 16),
    "colspans": repeated("<td colspan=1000>a", PAGE + "<table><tr>"),
    "colspans in rows": repeated("<tr><td colspan=1000>word", PAGE + "<table>"),
    "rowspans": repeated("<td rowspan=1000>word", PAGE + "<table><tr>", "<tr><td>a" * 1_000),
    "rowspans in rows": repeated("<tr><td rowspan=65534>word", PAGE + "<table>"),
    "both spans": repeated("<tr><td colspan=1000 rowspan=1000>word", PAGE + "<table>"),
    "one large span": lambda size: (
        PAGE + f"<table><tr><td colspan=1000>{'a' * (size - 600)}<td>b" + "<tr><td>a" * 20 + "</table>"
    ),
    "long cell over rows": lambda size: (
        PAGE + f"<table><tr><td rowspan=1000>{'a ' * (size // 4)}<td>b" + "<tr><td>a" * (size // 18) + "</table>"
    ),
    "columns": repeated("<col span=1000>", PAGE + "<table>", "<tr><td>a"),
    "captions": repeated("<caption>a", PAGE + "<table>"),
    "lists": repeated("<ul><li>a"),
    "list items": repeated("<li>a", PAGE + "<ul>"),
    "lists of 200": lambda size: PAGE + ("<ul><li>a" * 200 + "</ul>" * 200) * (size // 2_800),
    "definitions": repeated("<dl><dt>a<dd>b"),
    "quotes": repeated("<blockquote>a"),
    "quotes of 200": lambda size: PAGE + ("<blockquote>a" * 200 + "</blockquote>" * 200) * (size // 5_200),
    "headings": repeated("<h2>a{n}</h2>"),
    "headings in each other": repeated("<h1>a<h2>b"),
    "headings of all levels": repeated("<h1>a</h1><h6>b</h6>"),
    "code": repeated("<pre><code>a</code></pre>"),
    "backticks in code": repeated("`", PAGE + "<code>", "</code>"),
    "backticks in pre": repeated("`", PAGE + "<pre>", "</pre>"),
    "lines in pre": repeated("\n", PAGE + "<pre>a", "</pre>"),
    "plaintext": repeated("<p>a", PAGE + "<plaintext>"),
    "comments": repeated("<!-- a -->"),
    "comments never closed": repeated("<!-- "),
    "comment of dashes": repeated("-", PAGE + "<!--"),
    "comment of ends": repeated("--!", PAGE + "<!--"),
    "processing instructions": repeated("<?a"),
    "doctypes": repeated("<!doctype html>"),
    "cdata": repeated("<![CDATA[a]]>"),
    "cdata in drawings": repeated("<svg><![CDATA[a", PAGE),
    "less-thans": repeated("<"),
    "less-thans and letters": repeated("<a"),
    "less-thans and blanks": repeated("< "),
    "script never closed": repeated("<script>"),
    "scripts": repeated("<script>a</script>"),
    "script in comment": repeated("<!--<script>", PAGE + "<script>"),
    "almost ends of script": repeated("</scrip", PAGE + "<script>"),
    "ends of script": repeated("</script ", PAGE + "<script>"),
    "titles": repeated("<title>a</title>"),
    "textareas": repeated("<textarea>a</textarea>"),
    "textareas never closed": repeated("<textarea>"),
    "templates": repeated("<template>a"),
    "templates closed": nested("<template>", "</template>"),
    "templates with roots": repeated("<template shadowrootmode=open><p>a</template>"),
    "noscripts": repeated("<noscript>a"),
    "iframes": repeated("<iframe>a</iframe>"),
    "framesets": repeated("<frameset><frame>", "<html>"),
    "noframes": repeated("<p>a", "<html><frameset><noframes>"),
    "objects": repeated("<object>a"),
    "applets and marquees": repeated("<applet><marquee>a"),
    "drawings": repeated("<svg>a"),
    "drawings with text": repeated("<svg><text>a</text></svg>"),
    "drawings with titles": repeated("<svg><title>a</title><g/></svg>"),
    "foreign objects": repeated("<svg><foreignObject>"),
    "formulas": repeated("<math><mi>a"),
    "formulas closed": repeated("<math><mi>a</mi></math>"),
    "entities": repeated("&amp;"),
    "entities without end": repeated("&a"),
    "entities that are none": repeated("&NotEqualTildeeee"),
    "ampersands": repeated("&"),
    "numbers": repeated("&#x110000;"),
    "long number": repeated("9", PAGE + "&#", ";"),
    "long entity": repeated("a", PAGE + "&", ";"),
    "images": repeated("<img src=x{n} alt=a>"),
    "packed images": repeated("<img src='data:image/png;base64,AAAA' alt=a>"),
    "styles that hide": repeated(".c{n}{display:none}", "<html><head><style>", "</style></head>" + PAGE),
    "styles that hide, and elements": lambda size: (
        "<html><head><style>"
        + "".join(f".c{n}{{display:none}}" for n in range(size // 44))
        + "</style></head><body>"
        + "".join(f"<p class=c{n}>a" for n in range(size // 44))
    ),
    "styles that hide and show": repeated(".c{n}{display:none}.c{n}{display:block}", "<html><style>", "</style>" + PAGE),
    "selectors": repeated(".a{n},", "<html><style>", ".b{display:none}</style>" + PAGE),
    "many rules and divs": lambda size: (
        "<html><style>"
        + "".join(f".c{n:x}{{display:none}}" for n in range(size // 40))
        + "</style><body>"
        + "<div>a</div>" * (size // 24)
    ),
    "style braces": repeated("{", "<html><style>display:none", "</style>" + PAGE),
    "style at rules": repeated("@media x{", "<html><style>display:none", "</style>" + PAGE),
    "style comments": repeated("/*", "<html><style>display:none ", "</style>" + PAGE),
    "style blanks": repeated(" ", "<html><style>display", "</style>" + PAGE),
    "style sizes": repeated("0", "<html><style>a{opacity:", "</style>" + PAGE),
    "hidden elements": repeated("<p hidden>a</p>"),
    "hidden in hidden": nested("<p hidden>", "</p>"),
    "hidden by style": repeated("<p style='display:none'>a</p>"),
    "long style": repeated("a:b;", PAGE + "<p style='", "'>text</p>"),
    "style of blanks": repeated(" ", PAGE + "<p style='display:", "x'>text</p>"),
    "hidden beside a large part": lambda size: (
        PAGE + "<div>" + "<i></i>" * (size // 14) + "</div>" + "<p hidden>a</p>" * (size // 30)
    ),
    "lines in deep quotes": repeated("<p>a", PAGE + "<blockquote>" * 490),
    "lines in deep lists": repeated("<p>a", PAGE + "<ul><li>" * 490),
    "colours in deep parts": repeated("<p style='color:red'>a", PAGE + "<div class=a>" * 400),
    "powers in deep parts": repeated("<sup>a</sup>", PAGE + "<div class=a>" * 400),
    "articles in deep parts": repeated("<article>a</article>", PAGE + "<div class=a>" * 400),
    "tables in deep parts": repeated("<table><tr><td>a</table>", PAGE + "<div class=a>" * 400),
    "rules for screens": repeated("@media screen{a{b:c}", "<html><style>display:none", "</style>" + PAGE),
    "moving": repeated("transition", "<html><style>a{opacity:0;", "}</style>" + PAGE),
    "buttons in a heading": repeated("a<button>b</button>", PAGE + "<h2>", "</h2>"),
    "buttons in a summary": repeated("a<button>b</button>", PAGE + "<details><summary>", "</summary>"),
    "buttons of one panel": lambda size: (
        PAGE + "<button aria-controls=p>a</button>" * (size // 68) + "<div id=p>" + "<a>b</a>c " * (size // 20)
    ),
    "related parts": repeated("<div class=related>a<img><img></div>"),
    "related parts nested": nested("<div class=related>", "</div>"),
    "comments of readers": repeated("<div class=comments>a</div>"),
    "comments of readers nested": nested("<div class=comments>", "</div>"),
    "menus by name": repeated("<div class=menu><a>a</a></div>"),
    "notes beside": repeated("<aside><p>a</p></aside>"),
    "parts with tabs": repeated("<div role=tablist><b role=tab>a</b></div><p role=tabpanel>a</p>"),
    "tabs of one list": lambda size: (
        PAGE + "<div><div role=tablist>" + "<b role=tab>a</b>" * (size // 40) + "</div>"
        + "<p role=tabpanel>a</p>" * (size // 46)
    ),
    "line numbers": repeated("<b class=linenos>1</b>", PAGE + "<pre>"),
    "formulas with TeX": repeated("<math><annotation encoding=tex>a</annotation></math>"),
    "codes in deep parts": repeated("<pre>a</pre>", PAGE + "<div class='highlight- a'>" * 300),
    "frames instead": repeated("<noscript>a</noscript>"),
    "times": repeated("<time datetime=a>b</time>", PAGE + "<div>" * 400),
    "edit links": repeated("<a href='#edit'>edit</a>"),
    "navigation": repeated("<nav><a href=x>a</a></nav>"),
    "menus": repeated("<ul><li><a href=x>a</a></li></ul>"),
    "articles": repeated("<article><p>" + WORDS + "</article>"),
    "articles nested": repeated("<article><p>a b c</p>"),
    "asides": repeated("<aside><p>a b c</p></aside>"),
    "details": repeated("<details><summary>a</summary>b</details>"),
    "dialogs": repeated("<dialog>a</dialog>"),
    "labels": repeated("<label>a</label><input>"),
    "footnotes": repeated("<sup><a href='#f{n}'>1</a></sup>"),
    "ids and labels": repeated("<p id=i{n} aria-labelledby=i{n}>a</p>"),
    "rubies": repeated("<ruby>a<rt>b"),
    "breaks": repeated("<br>"),
    "rules": repeated("<hr>"),
    "blanks": repeated(" "),
    "line ends": repeated("\n"),
    "tabs": repeated("\t a"),
    "one word": repeated("a"),
    "stars": repeated("*"),
    "brackets": repeated("["),
    "underscores": repeated("_a"),
    "pipes": repeated("|"),
    "backslashes": repeated("\\"),
    "hashes": repeated("# ", PAGE + "<p>"),
    "metas": repeated("<meta name=a{n} content=b>", "<html><head>", "</head>" + PAGE),
    "json in scripts": repeated("[", '<html><head><script type="application/ld+json">', "</script></head>" + PAGE),
    "links of the head": repeated("<link rel=canonical href=x>", "<html><head>", "</head>" + PAGE),
    "bases": repeated("<base href=x>", "<html><head>", "</head>" + PAGE),
    "heads": repeated("<head>"),
    "xhtml elements": repeated("<p>a</p>", XHTML, "</body></html>"),
    "xhtml nested": nested("<div>", "</div>", XHTML),
    "xhtml attributes": repeated(' a{n}=""', XHTML + "<p", "/></body></html>"),
    "xhtml namespaces": repeated(' xmlns:n{n}="x"', XHTML + "<p", "/></body></html>"),
    "xhtml empty": repeated("<p/>", XHTML, "</body></html>"),
    "xhtml cdata": repeated("<![CDATA[", XHTML, "]]></body></html>"),
    "xhtml cdata starts": repeated("<p><![CDATA[a]]></p>", XHTML, "</body></html>"),
    "xhtml less-thans": repeated("<x", XHTML),
    "xhtml entities": lambda size: (
        '<!DOCTYPE html [<!ENTITY a "' + "a" * 199 + '">]><html xmlns="http://www.w3.org/1999/xhtml"><p/>'
        + "&a;" * (size // 3)
        + "</html>"
    ),
    "xhtml declarations": repeated('<!ENTITY a{n} "a">', "<!DOCTYPE html [", ']><html xmlns="http://www.w3.org/1999/xhtml"><p/>a</html>'),
    "front matter": repeated("a{n}: b\n", "---\n", "---\n" + PAGE),
    "templates of Jekyll": repeated("{% a %}", "", PAGE),
    "comments before": repeated("<!--a-->", "", PAGE),
    "declaration": repeated("a", "<?xml ", ">" + PAGE),
}  # fmt: skip
