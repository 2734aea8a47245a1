"""reStructuredText: its structure becomes Markdown, and no word is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.formats.reading import left_out, markdown, passages, read

WORD = re.compile(r"[^\W_]+")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=====\nBoats\n=====\n\nSails\n-----\n\nOars\n----\n", "# Boats\n\n## Sails\n\n## Oars"),
        ("Boats\n~~~~~\n\nSails\n=====\n\nSkiffs\n~~~~~~\n", "# Boats\n\n## Sails\n\n# Skiffs"),
        ("A rule\n\n----\n\nfollows.\n", "A rule\n\n---\n\nfollows."),
        ("* one\n* two\n\n  more\n\n  - inner\n", "- one\n- two\n\n  more\n\n  - inner"),
        ("1. one\n2. two\n\n#. next\n", "1. one\n2. two\n\n1. next"),
        ("mast\n   It carries the sail.\n", "- mast\n  It carries the sail."),
        (":Author: Ann\n:Date: 2024-05-01\n", "- Author: Ann\n- Date: 2024-05-01"),
        ("-v, --verbose  Say more.\n-q             Say less.\n", "- `-v, --verbose` Say more.\n- `-q` Say less."),
        ("Hoist::\n\n   # hoist\n   up\n\nDone.", "Hoist:\n\n```\n# hoist\nup\n```\n\nDone."),
        (">>> 1 + 1\n2\n\nText.", "```python\n>>> 1 + 1\n2\n```\n\nText."),
        ("Before.\n\n   Said he.\n\nAfter.", "Before.\n\n> Said he.\n\nAfter."),
        ("| one\n| two\n", "one\ntwo"),
        ("# no heading\n\n> no quote\n", "\\# no heading\n\n\\> no quote"),
    ],
)
def test_blocks(text: str, expected: str) -> None:
    assert markdown(text, "rst") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. code-block:: sh\n   :linenos:\n\n   # no heading\n   ls\n", "```sh\n# no heading\nls\n```"),
        (".. note:: Reef early.\n", "**Note:** Reef early."),
        (".. warning::\n\n   Reef *early*.\n\n   - or late\n", "**Warning:** Reef *early*.\n\n- or late"),
        (".. versionadded:: 2.0\n   The jib.\n", "**Added in version 2.0:** The jib."),
        (".. toctree::\n   :maxdepth: 2\n\n   sails\n   All oars <oars>\n", "- sails\n- [All oars](oars)"),
        (".. automodule:: boats.sails\n   :members:\n", "- automodule: `boats.sails`\n  (members)"),
        (
            ".. function:: hoist(sail, *, up=True)\n\n   Hoist a sail.\n",
            "- function: `hoist(sail, *, up=True)`\n\n  Hoist a sail.",
        ),
        (".. unheard-of:: some words\n\n   and *more*.\n", "- unheard-of: some words\n\n  and *more*."),
        (".. image:: sail.png\n   :alt: A sail\n", "![A sail](sail.png)"),
        (".. figure:: sail.png\n\n   The caption.\n", "![](sail.png)\n\nThe caption."),
        (".. include:: /etc/passwd\n", "*include: /etc/passwd*"),
        (".. literalinclude:: a.py\n   :caption: All of it\n", "**All of it**\n\n*literalinclude: a.py*"),
        (".. raw:: html\n\n   <b>x</b>\n", "```html\n<b>x</b>\n```"),
        (".. math::\n\n   x^2\n", "```math\nx^2\n```"),
        (".. highlight:: go\n\nSo::\n\n   x := 1\n", "So:\n\n```go\nx := 1\n```"),
        (".. only:: html\n\n   Seen.\n", "Seen."),
        (".. [1] A footnote.\n", "[1] A footnote."),
    ],
)
def test_directives(text: str, expected: str) -> None:
    assert markdown(text, "rst") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("``code``, *soft* and **loud**", "`code`, *soft* and **loud**"),
        ("``a `b` c``", "`` a `b` c ``"),
        ("See :ref:`the mast <mast-label>` and :doc:`oars`.", "See the mast and oars."),
        (":func:`~boats.hoist` and :py:class:`Sail`", "`boats.hoist` and `Sail`"),
        (":unheard:`of words`", "of words"),
        ("`here <https://x.org/a b>`_", "[here](https://x.org/ab)"),
        ("Python_ and `the docs`_.\n\n.. _Python: https://p.org\n.. _the docs: https://d.org",
         "[Python] and [the docs].\n\n[Python]: https://p.org\n[the docs]: https://d.org"),
        ("`One`__ and `two`__\n\n.. __: https://1.org\n\n__ https://2.org",
         "[One](https://1.org) and [two](https://2.org)"),
        ("H\\ :sub:`2`\\ O, 10\\ :sup:`6`", "H2O, 10^6"),
        ("|boat| sails.\n\n.. |boat| replace:: The *sloop*", "The *sloop* sails."),
        ("snake_case_name and a|b stay", "snake_case_name and a|b stay"),
        ("As [1]_ and [Knuth]_ say", "As [1] and [Knuth] say"),
        (":math:`x^2` :pep:`8`", "$x^2$ PEP 8"),
    ],
)  # fmt: skip
def test_marks_in_a_paragraph(text: str, expected: str) -> None:
    assert markdown(text, "rst") == expected


TABLE = "| Boat | Sails |\n| --- | --- |\n| sloop | 1 or 2 |\n| ketch | 3 |"


@pytest.mark.parametrize(
    "text",
    [
        "+-------+--------+\n| Boat  | Sails  |\n+=======+========+\n| sloop | 1 or   |\n|       | 2      |\n"
        "+-------+--------+\n| ketch | 3      |\n+-------+--------+\n",
        "=====  ======\nBoat   Sails\n=====  ======\nsloop  1 or\n       2\nketch  3\n=====  ======\n",
        ".. list-table::\n   :header-rows: 1\n\n   * - Boat\n     - Sails\n   * - sloop\n     - 1 or\n       2\n"
        "   * - ketch\n     - 3\n",
        ".. csv-table::\n   :header: Boat, Sails\n\n   sloop, 1 or 2\n   ketch, 3\n",
    ],
)
def test_tables(text: str) -> None:
    assert markdown(text, "rst") == TABLE


def test_a_table_with_merged_cells_keeps_its_lines() -> None:
    text = "+---+---+\n| a | b |\n+---+---+\n| both  |\n+-------+\n"
    assert markdown(text, "rst") == f"```\n{text}```"


def test_comments_and_entries_of_the_index_are_left_out_with_a_note() -> None:
    text = "Text.\n\n.. A comment\n   of two lines.\n\n.. index:: single: mast\n\n.. _label:\n\nMore."
    assert markdown(text, "rst") == "Text.\n\nMore."
    assert left_out(text, "rst") == {"comments": "A comment\n   of two lines.", "entries of the index": "single: mast"}


def test_metadata() -> None:
    metadata = read("Boats\n=====\n\n:Date: 2024-05-01\n:Keywords: sail, oar\n", "rst").metadata
    assert (metadata.date, metadata.tags) == ("2024-05-01", ("sail", "oar"))


def test_a_passage_has_the_titles_above_it() -> None:
    text = "Boats\n=====\n\n" + "Wind. " * 60 + "\n\nOars\n----\n\n" + "Row. " * 60
    assert [passage.header_path for passage in passages(text, "rst", 500)] == [("Boats",), ("Boats", "Oars")]


lines = st.sampled_from(
    ["word", "  deeper", "- item", "1. one", "====", ".. note:: now", "   :key: value", "| row |", "+---+", "::", "",
     "term", "``code", "`open <a", ":role:`x`", "=== ===", "a   b", ".. [1] foot", ">>> x", "-o  does", "\tq"]
)  # fmt: skip


@given(st.lists(lines, max_size=12))
def test_no_word_is_lost_whatever_the_order_of_the_marks(lines: list[str]) -> None:
    text = "\n".join(lines)
    extraction = read(text, "rst")
    shown = WORD.findall(extraction.markdown.lower() + " ".join(left.text for left in extraction.left_out))
    kept = {"word", "deeper", "item", "now", "value", "row", "term", "open", "foot", "does", "q"}
    assert kept & set(WORD.findall(text)) <= set(shown)
