"""Which lines are headings, in Markdown with HTML, components, admonitions and formulas."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.metadata import DocumentMetadata

TAIL = "\n\nThey sail" + " and on, and on" * 100


def path(text: str) -> tuple[str, ...]:
    """The headings above what follows the text."""
    return MarkdownChunker().split(Extraction(text + TAIL))[-1].header_path


@pytest.mark.parametrize(
    "text",
    [
        "<Note>\n\nOpen it first.\n\n</Note>\n---",
        "</div>\n---",
        "  </Tabs.Item>\n===",
        "<br />\n---",
        "<div class='wide'>\n# Boats\n</div>",
        "<div class='wide'>\nBoats\n---\n</div>",
        "<my-note>\n## Boats\n</my-note>",
        "Some text\n<hr>\n# Boats",
        "<details>\n<summary>More</summary>\n# Boats\n</details>",
        "<!DOCTYPE html\n# Boats\n>",
        "<?php\n\n# Boats\n\n?>",
        "<![CDATA[\n\n# Boats\n\n]]>",
        "{/*\n\n# Boats\n\n*/}",
        "<!--\n\n# Boats\n\n-->",
        "<pre>\n\n# Boats\n\n</pre>",
        "- <Note>\n\n  Open it.\n\n  </Note>\n  ---",
        "> <Note>\n> # Boats\n> </Note>",
        ":::tip\n# Boats\n:::",
        ":::note Read this\n\n## Boats\n\n:::",
        "::::info\n:::tip\n# Boats\n:::\n# Boats\n::::",
        "Text.\n\n:::\n---",
        ":::warning\nBoats\n---\n:::",
        "!!! note\n    # Boats",
        '??? tip "More"\n\n    # Boats',
        "> [!NOTE]\n> # Boats",
        "$$\n# boats\n$$",
        "$$\na\n\n# boats\n\nb\n$$",
        "{% endtab %}\n---",
        "{{< /tabs >}}\n---",
        "{: .wide}\n---",
        "[boats]: ../boats.md\n---",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert path(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "<div>\n\n# Boats",
        "<div>\n</div>\n\nBoats\n---",
        '<a id="boats"></a>\n# Boats',
        "A line of text\n<b>\n# Boats",
        "<Tabs>\n# Boats\n</Tabs>",
        "<>\n# Boats\n</>",
        "`<div>` is a tag.\n\n# Boats",
        "a <div>\n# Boats",
        "<https://boats.example>\n# Boats",
        ":::\n# Boats",
        ":::tip\n\nThis one never ends.\n\n# Boats",
        ":::tip\n\nThis one never ends.\n\n# Boats\n\n:::tip\nThis one does.\n:::",
        ":::tip\nText.\n:::\n# Boats",
        "$$ x = 1 $$\n# Boats",
        "It costs $$ a lot.\n\n# Boats\n\n$$ and more.",
        "$$ never closed\n\n# Boats",
        "{% include boats.html %}\n\n# Boats",
        "{/* note */}\n# Boats",
        "<!-- note -->\n# Boats",
    ],
)
def test_what_is_a_heading(text: str) -> None:
    assert path(text) == ("Boats",)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_three_ways(newline: str) -> None:
    lines = ["# Boats", "", "They sail.", "", "```sh", "# no heading", "```", "", "Oars", "----", "", "- row", "- on"]
    text = newline.join(lines)
    passages = MarkdownChunker(40, 0).split(Extraction(text))
    assert [passage.text for passage in passages] == [
        newline.join(lines[:3]),
        newline.join(lines[4:7]),
        newline.join(lines[8:]),
    ]
    assert [passage.header_path for passage in passages] == [("Boats",), ("Boats",), ("Boats", "Oars")]


def test_letters_that_nobody_sees_are_in_no_title() -> None:
    assert path("# Donau\u00addampf\u200bschiff\ufeff") == ("Donaudampfschiff",)
    assert path("# می\u200cخواهم") == ("می\u200cخواهم",)


PLAIN = """# comment

make install
# another
run it | less
---

Boats and sails
===============

They sail.

The wind
--------

[NOTE]
------
It blows.

船と風
======

- an item
# no heading
"""


def test_plain_text_has_underlined_titles_only() -> None:
    metadata = DocumentMetadata.of(title="All")
    passages = MarkdownChunker(60, 0).split(Extraction(PLAIN + TAIL, plain_until=len(PLAIN + TAIL)))
    assert {passage.header_path for passage in passages} == {
        (),
        ("Boats and sails",),
        ("Boats and sails", "The wind"),
        ("船と風",),
    }
    titled = MarkdownChunker().split(Extraction("# no heading\n\nText", metadata=metadata, plain_until=18))
    assert titled[0].header_path == ("All",)


def test_plain_text_that_begins_with_a_rule_has_no_headings() -> None:
    text = "---\nhost: a\n---\n\n# a comment\n\n- an item\n\n## another" + TAIL
    assert {passage.header_path for passage in MarkdownChunker().split(Extraction(text, plain_until=len(text)))} == {()}


def test_plain_text_in_front_of_markdown_stands_below_the_title() -> None:
    front, body = "How to sail a boat.\n# no heading\n    \n", "\n# Boats\n\nThey sail." + TAIL
    metadata = DocumentMetadata.of(title="Sailing")
    first, *_, last = MarkdownChunker(200, 0).split(Extraction(front + body, metadata=metadata, plain_until=len(front)))
    assert (first.header_path, last.header_path) == (("Sailing",), ("Boats",))
    assert first.text.startswith("How to sail")


def test_plain_text_in_front_of_markdown_does_not_join_the_sections_below_it() -> None:
    front, body = "How to sail a boat.\n    \n", "\n### Sails\n\nWhite.\n\n### Oars\n\nRed."
    first, second = MarkdownChunker().split(Extraction(front + body, plain_until=len(front)))
    assert first.text.split() == ["How", "to", "sail", "a", "boat.", "###", "Sails", "White."]
    assert second.text == "### Oars\n\nRed."
