"""What a page has around its content, wherever it stands: menus, dialogs, cookie banners, buttons, links to its source,
and the line that says when it was changed."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from ragbase.formats.html.buttons import Panels, take_button
from ragbase.formats.html.elements import named
from ragbase.formats.html.last_changed import LAST_CHANGED_MARK
from ragbase.formats.html.meaning import near
from ragbase.formats.html.removed import AROUND, IN_PLACE, Removed
from ragbase.formats.html.weight import weight, weight_of_links

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

NEVER_TEXT = frozenset(("script", "style", "embed", "input"))
IN_PLACE_OF = frozenset(("noscript", "canvas", "iframe", "object", "video", "audio", "noembed", "noframes"))
"""What these hold is shown where a browser cannot show them."""

MENUS = frozenset(("dialog", "nav", "select", "datalist"))
MENU_ROLES = frozenset(("navigation", "search", "dialog", "alertdialog"))
CONSENT_TOOL = re.compile(
    r"^onetrust-consent-sdk$|^CybotCookiebotDialog$|^usercentrics-root$|^cookie-law-info-bar$"
    r"|(?:^|\s)(?:cc-window|osano-cm-window|qc-cmp2-container)(?:\s|$)",
    re.MULTILINE,
)
HEADER_LINK = re.compile(r"(?:^|\s)(?:headerlink|anchor)(?:\s|$)")
WORD = re.compile(r"\w")
"""A link to a place in the page without a letter is the anchor of a heading: `¶`, `#`, nothing that is seen."""

TAG_LINKS = "a[rel~=tag]"
"""A tag of the article (HTML Standard, "Link type tag"). A footer with such links has nothing else to say."""

EDIT = re.compile(
    r"\W*(?:edit|improve|suggest (?:changes|edits)(?: to)?)"
    r"(?: (?:(?:this|the) )?(?:page|doc|document|file|article)(?: (?:on|in) \w+)?| on \w+)\W*",
    re.IGNORECASE,
)
"""The text or the title of a link to the source of the page."""

EDIT_CLASS = re.compile(
    r"edit-?(?:this-?)?(?:page|link|post|on)|(?:page|post)-?edit|edit-?(?:uri|button)", re.IGNORECASE
)
LONG_LINK = 60
EDITED_SOURCE = re.compile(r"/_?edit/.*\.(?:mdx?|markdown|rst|adoc|ipynb|html?|txt|org)$", re.IGNORECASE)
"""In any language, as generators write the class or the address of that link."""

CONSENT_BANNER = re.compile(
    r"(?:cookie|consent|gdpr)s?[-_ ]?(?:\w*[-_])?"
    r"(?:banner|bar|notice|popup|pop-up|modal|overlay|dialog|message|alert|wrapper|container|manager|law|info|consent)"
    r"|(?:banner|notice|popup|modal|overlay|dialog|bar)[-_ ]?(?:\w*[-_])?(?:cookie|consent|gdpr)"
    r"|^(?:cookies?|(?:cookie)?consent|gdpr)$",
    re.IGNORECASE | re.MULTILINE,
)
COMMENTS = re.compile(
    r"(?:^|\s)(?:comments(?:-(?:area|section|list|wrapper|container))?|comment-?(?:list|section|respond|body)|respond"
    r"|disqus_thread)(?:\s|$)",
    re.IGNORECASE,
)
RELATED = re.compile(r"related|recommend|read-next|also-like", re.IGNORECASE)
CARDS = "article, [class*=card i], img, h2 a, h3 a, h4 a"
PAGE_TAGS = frozenset(("html", "body", "main"))
PAGE_PARTS = "h1, main, article h1, [role=main]"

NAMES = ("cookie", "consent", "gdpr", "related", "comment", "respond", "disqus")
CLASSES = (
    "cookie", "consent", "gdpr", "cc-window", "osano-cm", "cmp2", "related", "recommend", "also-like", "comment",
    "updated", "modifi", "lastmod", "revision-date", "source-file", "editsection",
)  # fmt: skip
LOOKED_AT = ", ".join(
    (
        *sorted(NEVER_TEXT | IN_PLACE_OF | MENUS), "button", "form", "footer", "[role]",
        'a:is(.headerlink, .anchor, [href^="#"], [href*="edit" i], [href*="blob" i], [title*="edit" i], '
        '[class*="edit" i])',
        "[class*=language-] > span.lang", "[itemprop=comment]", "#usercentrics-root",
        named("id", NAMES), named("class", CLASSES),
    )
)  # fmt: skip
"""One selector for all, and few parts of names: each is looked for in all elements of a page."""

FIELDS = "input:not([type=hidden i]), textarea, select"
SHORT_FORM = 80
"""Characters. A form that says no more than that, and no sentence, asks for a word or an address: it has no content."""
SENTENCE = re.compile(r"\w[.!。！।۔](?:\s|$)")

NOTES = '[role^="doc-"], [id^="fn" i], [class*="footnote" i], ol, table, pre, dl, h1, h2, h3'
LONG_PARAGRAPH = 160
COMMON_FOOTER = 400
"""Characters. What is longer in the footer of an article is a part of it."""


def take_furniture(page: LexborHTMLParser, body: LexborNode, removed: Removed) -> None:
    panels = Panels(body)
    comments: list[LexborNode] = []
    in_place: dict[int, LexborNode] = {}
    for node in body.css(LOOKED_AT):
        tag = node.tag
        if tag in NEVER_TEXT:
            node.decompose()
        elif tag in IN_PLACE_OF:
            in_place[node.mem_id] = node
        elif tag == "button":
            take_button(page, node, panels, removed)
        elif tag == "a":
            _take_link(node, node.attributes, removed)
        elif _is_comment(node):
            comments.append(node)
        elif _is_around(node):
            removed.take(node, AROUND)
    _take_comments(body, comments, removed)
    _take_what_stands_in_place(body, in_place.values(), removed)


def _is_comment(node: LexborNode) -> bool:
    attributes = node.attributes
    if attributes.get("itemprop") == "comment":
        return True
    return bool(COMMENTS.search(_names(attributes))) and node.tag not in PAGE_TAGS


def _is_around(node: LexborNode) -> bool:
    attributes = node.attributes
    if node.tag in MENUS or attributes.get("role") in MENU_ROLES:
        return True
    if node.tag == "form":
        return _asks_only(node)
    if node.tag == "footer":
        return _says_nothing_else(node)
    return node.tag not in PAGE_TAGS and _is_named_furniture(node, _names(attributes))


def _names(attributes: dict[str, str | None]) -> str:
    return f"{attributes.get('id') or ''}\n{attributes.get('class') or ''}"


def _is_named_furniture(node: LexborNode, names: str) -> bool:
    if CONSENT_BANNER.search(names):
        return node.tag != "article"
    if "mw-editsection" in names.split():
        return True
    if LAST_CHANGED_MARK.search(names):
        return weight(node) <= LONG_PARAGRAPH
    if CONSENT_TOOL.search(names) or (node.tag == "span" and "lang" in names.split()):
        return True
    return bool(RELATED.search(names)) and node.css_first(PAGE_PARTS) is None and len(node.css(CARDS)) > 1


def _take_link(link: LexborNode, attributes: dict[str, str | None], removed: Removed) -> None:
    classes = attributes.get("class") or ""
    if HEADER_LINK.search(classes):
        if WORD.search(link.text()):
            removed.take(link, AROUND)
        else:
            link.decompose()
    elif (attributes.get("href") or "").startswith("#"):
        if not WORD.search(link.text()):
            if link.css_first("img") is None:
                link.decompose()
        elif "skip" in classes.lower():
            removed.take(link, AROUND)
    elif _leads_to_the_source(link, attributes):
        removed.take(link, AROUND)


def _asks_only(form: LexborNode) -> bool:
    return (
        form.css_first(FIELDS) is not None
        and weight(form) <= SHORT_FORM
        and form.css_first("p, li, td, h1, h2, h3") is None
        and not SENTENCE.search(form.text())
    )


def _leads_to_the_source(link: LexborNode, attributes: dict[str, str | None]) -> bool:
    text = link.text()
    if EDIT.fullmatch(text) or EDIT.fullmatch(attributes.get("title") or ""):
        return True
    if len(text.strip()) > LONG_LINK:
        return False
    return bool(EDIT_CLASS.search(attributes.get("class") or "") or EDITED_SOURCE.search(attributes.get("href") or ""))


def _says_nothing_else(footer: LexborNode) -> bool:
    """Of the footer of an article: who wrote it, when, its tags. Not that of a quotation, and no footnotes."""
    if any(parent.tag in ("blockquote", "figure") for parent in near(footer)):
        return False
    if footer.css_first(TAG_LINKS) is not None:
        return True
    if footer.css_first(NOTES) is not None or weight(footer) > COMMON_FOOTER:
        return False
    return all(weight(line) - weight_of_links(line) <= LONG_PARAGRAPH for line in footer.css("p"))


def _take_comments(body: LexborNode, comments: list[LexborNode], removed: Removed) -> None:
    """Unless the comments are what the page is for."""
    found = [node for node in comments if node.css_first(PAGE_PARTS) is None]
    if not found:
        return
    of_comments = max(weight(node) for node in found)
    if weight(body) - weight_of_links(body) - of_comments >= min(of_comments / 5, 200):
        for node in found:
            removed.take(node, AROUND)


def _take_what_stands_in_place(body: LexborNode, found: Collection[LexborNode], removed: Removed) -> None:
    """A page that says nothing without scripts is read as a browser without scripts shows it."""
    if not found:
        return
    without = weight(body) - sum(weight(node) for node in found)
    for node in found:
        if node.tag in ("noscript", "object") and weight(node) > without:
            node.unwrap()
        else:
            removed.take(node, IN_PLACE)
