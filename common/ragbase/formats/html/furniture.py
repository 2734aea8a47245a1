"""What a page has around its content, wherever it stands: menus, dialogs, cookie banners, buttons, links to its source,
and the line that says when it was changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.formats.html.last_changed import LAST_CHANGED, LAST_CHANGED_MARKS
from ragbase.formats.html.removed import AROUND, IN_PLACE, Removed
from ragbase.formats.html.weight import weight, weight_of_links

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

NEVER_TEXT = "script, style, embed, input"
IN_PLACE_OF = "noscript, canvas, iframe, object, video, audio, noembed, noframes"
"""What these hold is shown where a browser cannot show them."""

FURNITURE = (
    "dialog, nav, [role=navigation], [role=search], [role=dialog], [role=alertdialog], "
    "a.headerlink, a.anchor, [class*=language-] > span.lang, "
    "select, datalist, a[class*=skip i][href^='#'], "
    "#onetrust-consent-sdk, #CybotCookiebotDialog, #usercentrics-root, .cc-window, .osano-cm-window, "
    "#cookie-law-info-bar, .qc-cmp2-container"
)
IN_PAGE_LINKS = 'a[href^="#"]'
WORD = re.compile(r"\w")
"""A link to a place in the page without a letter is the anchor of a heading: `¶`, `#`, nothing that is seen."""

TAG_LINKS = "a[rel~=tag]"
"""A tag of the article (HTML Standard, "Link type tag"). A footer with such links has nothing else to say."""

EDIT_LINKS = 'a[href*="edit" i], a[href*="blob" i], a[title*="edit" i], a[class*="edit" i]'
EDIT = re.compile(
    r"\W*(?:edit|improve|suggest (?:changes|edits)(?: to)?)"
    r"(?: (?:(?:this|the) )?(?:page|doc|document|file|article)(?: (?:on|in) \w+)?| on \w+)\W*",
    re.IGNORECASE,
)
"""The text or the title of a link to the source of the page."""

EDIT_CLASS = re.compile(r"edit-?(?:this-?)?(?:page|link|post|on)|(?:page|post)-?edit|edit-?(?:uri|button)", re.IGNORECASE)
EDITED_SOURCE = re.compile(r"/_?edit/.*\.(?:mdx?|markdown|rst|adoc|ipynb|html?|txt|org)$", re.IGNORECASE)
"""In any language, as generators write the class or the address of that link."""

CONSENT = '[id*="cookie" i], [class*="cookie" i], [id*="consent" i], [class*="consent" i], [id*="gdpr" i]'
CONSENT_BANNER = re.compile(
    r"(?:cookie|consent|gdpr)s?[-_ ]?(?:\w*[-_])?"
    r"(?:banner|bar|notice|popup|pop-up|modal|overlay|dialog|message|alert|wrapper|container|manager|law|info|consent)"
    r"|(?:banner|notice|popup|modal|overlay|dialog|bar)[-_ ]?(?:\w*[-_])?(?:cookie|consent|gdpr)"
    r"|^(?:cookies?|(?:cookie)?consent|gdpr)$",
    re.IGNORECASE | re.MULTILINE,
)
COMMENTS = (
    "#comments, #respond, #disqus_thread, .comments, .comments-area, .comment-list, .commentlist, .comment-respond, "
    '.comments-section, #comment-section, [itemprop="comment"], article[class*=comment], article[id^=comment]'
)
RELATED = '[class*="related" i], [id*="related" i], [class*="recommend" i], [class*="read-next" i], [class*="also-like" i]'
CARDS = "article, [class*=card i], img, h2 a, h3 a, h4 a"
PAGE_PARTS = "h1, main, article h1, [role=main]"

OPENS_ITS_PANEL = (
    "[aria-expanded], [aria-controls], [data-toggle=collapse], [data-bs-toggle=collapse], [class*=collaps i], "
    "[class*=accordion i], [class*=toggle i]"
)
NAMED_BY_BUTTON = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "legend", "caption"))
LONG_LABEL = 60
"""Characters. A button with more is a part of the text that can be clicked."""

FIELDS = "input:not([type=hidden i]), textarea, select"
SHORT_FORM = 80
"""Characters. A form that says no more than that asks for a word or an address: it has no content."""

NOTES = '[role^="doc-"], [id^="fn" i], [class*="footnote" i], ol, table, pre, dl, h1, h2, h3'
LONG_PARAGRAPH = 160
COMMON_FOOTER = 400
"""Characters. What is longer in the footer of an article is a part of it."""


def take_furniture(page: LexborHTMLParser, body: LexborNode, removed: Removed) -> None:
    for node in body.css(NEVER_TEXT):
        node.decompose()
    _take_buttons(page, body, removed)
    for node in body.css(FURNITURE):
        removed.take(node, AROUND)
    for node in body.css(CONSENT):
        names = _names(node)
        if node.tag not in ("body", "main", "article") and CONSENT_BANNER.search(names):
            removed.take(node, AROUND)
    for node in body.css(IN_PAGE_LINKS):
        if not WORD.search(node.text()) and node.css_first("img") is None:
            node.decompose()
    for node in body.css(EDIT_LINKS):
        if _leads_to_the_source(node):
            removed.take(node, AROUND)
    for node in body.css(LAST_CHANGED_MARKS):
        if len(node.text(strip=True)) <= LONG_PARAGRAPH:
            removed.take(node, AROUND)
    for node in body.css("form"):
        if node.css_first(FIELDS) is not None and weight(node) <= SHORT_FORM and node.css_first("p, li, td, h1, h2, h3") is None:
            removed.take(node, AROUND)
    for node in body.css("footer"):
        if _says_nothing_else(node):
            removed.take(node, AROUND)
    for node in body.css(RELATED):
        if node.css_first(PAGE_PARTS) is None and len(node.css(CARDS)) > 1 and node.tag not in ("body", "main"):
            removed.take(node, AROUND)
    _take_comments(body, removed)
    _take_what_stands_in_place(body, removed)


def _names(node: LexborNode) -> str:
    return f"{node.attributes.get('id') or ''}\n{node.attributes.get('class') or ''}"


def _take_buttons(page: LexborHTMLParser, body: LexborNode, removed: Removed) -> None:
    """The label of a button is no text, but the name of what it opens is: a heading, a question."""
    for button in body.css("button"):
        label = button.text(strip=True)
        parent = button.parent
        if parent is None:
            continue
        if label and (len(label) > LONG_LABEL or _names_its_element(button)):
            continue
        if label and button.css_matches(OPENS_ITS_PANEL) and _opens_content(page, button):
            line, strong = page.create_node("p"), page.create_node("strong")
            strong.insert_child(" ".join(button.text(separator=" ").split()))
            line.insert_child(strong)
            button.insert_before(line, move=True)
            button.decompose()
            continue
        removed.take(button, AROUND)


def _names_its_element(button: LexborNode) -> bool:
    """Whether a heading has no other words than those of the button in it."""
    for parent in _near(button):
        if parent.tag in NAMED_BY_BUTTON:
            others = parent.text(separator=" ").replace(button.text(separator=" "), " ", 1)
            return not WORD.search(others)
    return False


def _near(node: LexborNode) -> list[LexborNode]:
    found = []
    parent = node.parent
    while parent is not None and len(found) < 4:
        found.append(parent)
        parent = parent.parent
    return found


def _opens_content(page: LexborHTMLParser, button: LexborNode) -> bool:
    attributes = button.attributes
    for name in ("aria-controls", "data-target", "data-bs-target", "href"):
        target = (attributes.get(name) or "").lstrip("#")
        if re.fullmatch(r"[\w-]+", target):
            panel = page.css_first(f'[id="{target}"]')
            if panel is not None:
                return not _is_menu(panel)
    after = button.next
    while after is not None and after.tag in ("-text", "-comment"):
        after = after.next
    return after is not None and after.tag in ("div", "section", "p", "ul", "dl") and not _is_menu(after)


def _is_menu(node: LexborNode) -> bool:
    if any(parent.tag in ("nav", "header", "footer") for parent in (node, *_near(node))) or node.css_first("nav") is not None:
        return True
    whole = weight(node)
    return not whole or weight_of_links(node) > whole / 2


def _leads_to_the_source(link: LexborNode) -> bool:
    attributes = link.attributes
    text = link.text()
    if EDIT.fullmatch(text) or EDIT.fullmatch(attributes.get("title") or ""):
        return True
    if len(text.strip()) > LONG_LABEL:
        return False
    return bool(EDIT_CLASS.search(attributes.get("class") or "") or EDITED_SOURCE.search(attributes.get("href") or ""))


def _says_nothing_else(footer: LexborNode) -> bool:
    """Of the footer of an article: who wrote it, when, its tags. Not that of a quotation, and no footnotes."""
    if any(parent.tag in ("blockquote", "figure") for parent in _near(footer)):
        return False
    if footer.css_first(TAG_LINKS) is not None:
        return True
    if footer.css_first(NOTES) is not None or weight(footer) > COMMON_FOOTER:
        return False
    return all(weight(line) - weight_of_links(line) <= LONG_PARAGRAPH for line in footer.css("p"))


def _take_comments(body: LexborNode, removed: Removed) -> None:
    """Unless the comments are what the page is for."""
    found = [node for node in body.css(COMMENTS) if node.css_first(PAGE_PARTS) is None and node.tag != "body"]
    if not found:
        return
    of_comments = max(weight(node) for node in found)
    if weight(body) - weight_of_links(body) - of_comments >= min(of_comments / 5, 200):
        for node in found:
            removed.take(node, AROUND)


def _take_what_stands_in_place(body: LexborNode, removed: Removed) -> None:
    """A page that says nothing without scripts is read as a browser without scripts shows it."""
    found = body.css(IN_PLACE_OF)
    if not found:
        return
    without = weight(body) - sum(weight(node) for node in found)
    for node in found:
        if node.tag == "noscript" and weight(node) > without:
            continue
        removed.take(node, IN_PLACE)


def take_last_line(content: LexborNode, removed: Removed) -> None:
    """The line at the end of the content that says when it was changed."""
    for _ in range(3):
        node: LexborNode | None = content
        while (node := _last_block(node)) is not None:
            text = node.text(separator=" ")
            if len(text) <= 2 * LONG_PARAGRAPH and LAST_CHANGED.match(" ".join(text.split())):
                removed.take(node, AROUND)
                break
        else:
            return


def _last_block(node: LexborNode) -> LexborNode | None:
    child = node.last_child
    while child is not None and (child.tag == "-comment" or not WORD.search(child.text())):
        child = child.prev
    return None if child is None or child.tag == "-text" else child
