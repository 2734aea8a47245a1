"""The Markdown of a page's content, and what was left out of it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ragbase.formats.html.drawings import read_drawings
from ragbase.formats.html.furniture import take_furniture, take_last_line
from ragbase.formats.html.hidden import take_hidden
from ragbase.formats.html.main_content import main_content
from ragbase.formats.html.meaning import keep_meaning
from ragbase.formats.html.removed import AROUND, HIDDEN, Removed
from ragbase.formats.html.tables import free_layout, join_headers
from ragbase.formats.html.tokenizer import text_of

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ragbase.domain.left_out import LeftOut


def read_page(page: LexborHTMLParser) -> tuple[str, tuple[LeftOut, ...]]:
    from html_to_markdown import convert

    body = page.body
    if body is None:
        return "", ()
    removed = Removed(page)
    sheets = [sheet.text() for sheet in page.css("style") if _is_for_screens(sheet)]
    _open_templates(page, removed)
    keep_meaning(page, body, removed)
    take_hidden(page, body, sheets, removed)
    read_drawings(page, body, removed)
    take_furniture(page, body, removed)
    content = main_content(page, body, removed)
    for node in content:
        take_last_line(node, removed)
        free_layout(page, node)
        join_headers(page, node)
    markdown = convert("\n".join(node.html or "" for node in content), _options()).content or ""
    if body not in content:
        for node in content:
            node.decompose()
        removed.add(text_of(body.html or ""), AROUND)
    return markdown.replace("\0", "\ufffd").strip("\n"), removed.left_out()


def _is_for_screens(sheet: LexborNode) -> bool:
    media = (sheet.attributes.get("media") or "").strip().lower()
    return media in ("", "all", "screen")


def _open_templates(page: LexborHTMLParser, removed: Removed) -> None:
    """A template is what a script makes elements from; one that is a shadow root is shown."""
    for template in page.css("template"):
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
    from html_to_markdown import (
        ConversionOptions,
        HiddenContent,
        HighlightStyle,
        InlineDataMedia,
        PreprocessingOptions,
    )

    return ConversionOptions(
        bullets="-",
        compact_tables=True,
        expand_abbreviations=False,
        extract_metadata=False,
        hidden_content=HiddenContent.REACHABLE,
        highlight_style=HighlightStyle.NONE,
        inline_data_media=InlineDataMedia.ALT_TEXT_ONLY,
        preprocessing=PreprocessingOptions(enabled=False),
    )
