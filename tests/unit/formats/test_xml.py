"""XML: a document as Markdown, data as an outline, and nothing that could grow."""

from __future__ import annotations

import pytest

from tests.unit.formats.reading import left_out, markdown, read

HEAD = '<?xml version="1.0" encoding="ISO-8859-1"?>\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<book><title>Boats</title><chapter><title>Sails &mdash; all</title><para>The <emphasis>jib</emphasis>\n"
         "is small.</para></chapter></book>", "# Boats\n\n## Sails — all\n\nThe jib\nis small."),
        ("<section><itemizedlist><listitem><para>one</para></listitem><listitem><para>two</para><para>more</para>"
         "</listitem></itemizedlist></section>", "- one\n- two\n\n  more"),
        ("<section><para>So:</para><programlisting># no heading\nls</programlisting></section>",
         "So:\n\n```\n# no heading\nls\n```"),
        ("<section><para><ulink url='https://x.org'>here</ulink></para></section>", "[here](https://x.org)"),
        ("<section><para>A table.</para><informaltable><tgroup><thead><row><entry>a</entry><entry>b</entry></row>"
         "</thead><tbody><row><entry>1</entry><entry><para>2</para></entry></row></tbody></tgroup></informaltable>"
         "</section>", "A table.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
    ],
)  # fmt: skip
def test_documents(text: str, expected: str) -> None:
    declared = '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbook.dtd">\n'
    assert markdown(HEAD + declared + text, "xml") == expected


def test_data() -> None:
    sloop = "<boat><name>Sloop</name><masts>1</masts></boat>"
    text = f"<boats n='2'><!-- Old. -->{sloop}<boat><name>Ketch</name></boat></boats>"
    assert markdown(HEAD + text, "xml") == (
        "# boats\n\n- n: 2\n\n## boat\n\n### boat 1: Sloop\n\n- name: Sloop\n- masts: 1\n\n"
        "### boat 2: Ketch\n\n- name: Ketch"
    )
    assert left_out(HEAD + text, "xml") == {"comments": " Old. "}


def test_a_drawing_has_its_texts() -> None:
    text = "<svg width='9'><title>A boat</title><path d='M 0 0 L 9 9'/><g fill='red'><text x='1'>mast</text></g></svg>"
    assert markdown(HEAD + text, "xml") == "# svg\n\n- title: A boat\n\n## g\n\n- text: mast"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<!DOCTYPE a [<!ENTITY b "wind"><!ENTITY c "&b;&b;">]><a>&c;</a>', "It declares entities of its own"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "It declares entities of its own"),
        ("<a>sail</b>", "Not well-formed in line 2"),
        ("<a>" * 600 + "sail" + "</a>" * 600, "Nested more than 500 levels deep"),
        ("<a>" * 100 + "sail" + "</a>" * 100, "Nested very deep"),
    ],
)
def test_what_cannot_be_read_safely_is_read_as_its_lines(text: str, why: str) -> None:
    extraction = read(HEAD + text, "xml")
    assert extraction.markdown == HEAD + text
    assert extraction.notes == (f"{why}: read as its lines, tags and all.",)
