"""The Markdown of a page's content, and what was left out of it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ragbase.formats.html.elements import Elements
from ragbase.formats.html.furniture import take_furniture
from ragbase.formats.html.hidden import take_hidden
from ragbase.formats.html.last_changed import without_last_changed
from ragbase.formats.html.main_content import main_content
from ragbase.formats.html.meaning import keep_meaning
from ragbase.formats.html.parser_limits import within_limits
from ragbase.formats.html.removed import AROUND, HIDDEN, IN_PLACE, WORD, Removed
from ragbase.formats.html.tables import free_layout, join_headers, limit_tables
from ragbase.formats.html.tokenizer import is_indented_too_deep, is_nested_too_deep, plain_text, text_of

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ragbase.domain.left_out import LeftOut
    from ragbase.formats.html.elements import Elements


def read_page(page: LexborHTMLParser, elements: Elements | None) -> tuple[str, tuple[LeftOut, ...]]:
    body = page.body
    if body is not None and elements is not None:
        return _read_body(page, body, elements)
    frames = page.css_first("noframes")
    return _read_frames(frames.inner_html or "") if frames is not None else ("", ())


def _read_frames(instead: str) -> tuple[str, tuple[LeftOut, ...]]:
    """A page of frames is what it has for browsers without frames."""
    from selectolax.lexbor import LexborHTMLParser

    if is_nested_too_deep(instead) or is_indented_too_deep(instead):  # of the page around it, this is no part
        return plain_text(instead)[0], ()
    page = LexborHTMLParser(f"<body>{within_limits(instead)[0]}")
    if page.body is None:
        return "", ()
    elements = Elements(page.body)
    limit_tables(elements.of("table"))
    return _read_body(page, page.body, elements)


def _read_body(page: LexborHTMLParser, body: LexborNode, elements: Elements) -> tuple[str, tuple[LeftOut, ...]]:
    from html_to_markdown import convert

    removed = Removed(page)
    for template in elements.of("template"):
        _open_template(template, removed)
    heads = page.head.css("style") if page.head is not None else []
    sheets = [sheet.text() for sheet in (*heads, *elements.of("style")) if _is_for_screens(sheet)]
    keep_meaning(page, body, elements, removed)
    take_hidden(page, body, elements, sheets, removed)
    read_drawings(page, elements, removed)
    take_furniture(page, body, removed)
    content = main_content(body, elements, removed)
    free_layout(page, elements.of("table"))
    join_headers(page, elements.of("table"))
    markdown = convert("\n".join(node.html or "" for node in content), _options()).content or ""
    if not WORD.search(markdown):  # a page of links, or of a dialog, is read as it is
        content = [body]
        markdown = convert(removed.put_back(AROUND), _options()).content or ""
    markdown, last_changed = without_last_changed(markdown)
    removed.add(last_changed, AROUND)
    if not any(node.mem_id == body.mem_id for node in content):
        read = page.create_node("div")
        for node in content:
            read.insert_child(node, move=True)
        removed.add(text_of(body.html or ""), AROUND)
    return markdown.replace("\0", "\ufffd").strip("\n"), removed.left_out()


def _is_for_screens(sheet: LexborNode) -> bool:
    media = (sheet.attributes.get("media") or "").strip().lower()
    return media in ("", "all", "screen")


def _open_template(template: LexborNode, removed: Removed) -> None:
    """A template is what a script makes elements from; one that is a shadow root is shown."""
    for content in template.template_fragments():
        if template.attributes.keys() & {"shadowrootmode", "shadowroot"}:
            child = content.first_child
            while child is not None:
                following = child.next
                template.insert_before(child, move=True)
                child = following
        else:
            removed.add(content.text(separator=" "), HIDDEN)
    template.decompose()


@cache
def _options() -> ConversionOptions:
    import html_to_markdown as to

    return to.ConversionOptions(
        bullets="-",
        compact_tables=True,
        expand_abbreviations=False,
        extract_metadata=False,
        preprocessing=to.PreprocessingOptions(enabled=False, preset=to.PreprocessingPreset.STANDARD),
        hidden_content=to.HiddenContent.REACHABLE,
        highlight_style=to.HighlightStyle.NONE,
        inline_data_media=to.InlineDataMedia.ALT_TEXT_ONLY,
        # These are the defaults: the converter looks up the names that it has instead for each page.
        heading_style=to.HeadingStyle.ATX,
        list_indent_type=to.ListIndentType.SPACES,
        whitespace_mode=to.WhitespaceMode.NORMALIZED,
        newline_style=to.NewlineStyle.SPACES,
        code_block_style=to.CodeBlockStyle.BACKTICKS,
        url_escape_style=to.UrlEscapeStyle.ANGLE,
        link_style=to.LinkStyle.INLINE,
        output_format=to.OutputFormat.MARKDOWN,
        tier_strategy=to.TierStrategy.AUTO,
    )


NOT_DRAWN = "defs, symbol, style, script, metadata"
PLACED = ("x", "y", "dx", "dy")


def read_drawings(page: LexborHTMLParser, elements: Elements, removed: Removed) -> None:
    """A paragraph for the words of each drawing, a line for each label. The name of a drawing without words, as icons
    have one, is text in place of a picture."""
    for drawing in elements.of("svg"):
        if drawing.parent is None or drawing.first_child is None or not WORD.search(drawing.text()):
            drawing.decompose()
            continue
        for part in drawing.css(NOT_DRAWN):
            part.decompose()
        words = [text for label in drawing.css("text, foreignObject") if (text := _label(label))]
        names = [name for node in drawing.css("title, desc") if (name := " ".join(node.text().split()))]
        if words:
            paragraph = page.create_node("p")
            for number, text in enumerate((*names, *words)):
                if number:
                    paragraph.insert_child(page.create_node("br"))
                paragraph.insert_child(text)
            drawing.insert_before(paragraph, move=True)
        elif names:
            removed.add("\n".join(names), IN_PLACE)
        drawing.decompose()


def _label(label: LexborNode) -> str:
    """Parts of a label that have a place of their own are words of their own."""
    separator = " " if any(part.attributes.keys() & set(PLACED) for part in label.css("tspan")) else ""
    if label.tag != "text":
        separator = " "
    return " ".join(label.text(separator=separator).split())
