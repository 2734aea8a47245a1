"""AsciiDoc: its structure becomes Markdown, and no word is lost."""

from __future__ import annotations

import pytest

from tests.unit.formats.reading import left_out, markdown, passages, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= Boats\n\n== Sails\n\nText.\n", "# Boats\n\n## Sails\n\nText."),
        ("Boats\n=====\n\nSails\n-----\nText.\n", "# Boats\n\n## Sails\n\nText."),
        ("[source,sh]\n----\n# no heading\nls\n----\n", "```sh\n# no heading\nls\n```"),
        ("[source,ruby]\n# no heading\nputs 1\n\nText.\n", "```ruby\n# no heading\nputs 1\n```\n\nText."),
        ("....\n= no heading\n....\n", "```\n= no heading\n```"),
        ("Text.\n\n  indented\n  lines\n\nMore.", "Text.\n\n```\nindented\nlines\n```\n\nMore."),
        ("NOTE: Reef early.\n", "**NOTE:** Reef early."),
        ("[WARNING]\n====\nReef early.\n\n* or late\n====\n", "**WARNING:**\n\nReef early.\n\n- or late"),
        ("* one\n** inner\n* two\n", "- one\n  - inner\n- two"),
        (". one\n+\n----\nls\n----\n. two\n", "1. one\n\n   ```\n   ls\n   ```\n\n1. two"),
        ("mast:: It carries the sail.\nboom::\n  It holds it down.\n",
         "- mast: It carries the sail.\n- boom\n  It holds it down."),
        (".The title\n[cols=\"1,2\",options=\"header\"]\n|===\n|Boat |Sails\n|sloop |1\n|ketch\n|2 and\nmore\n|===\n",
         "**The title**\n\n| Boat | Sails |\n| --- | --- |\n| sloop | 1 |\n| ketch | 2 and more |"),
        ("|===\n|a |b\n\n|1 |2\n|===\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("[cols=\"2*\"]\n|===\n2+|both\n|cat|dog\n|===\n", "|  |  |\n| --- | --- |\n| both |  |\n| cat | dog |"),
        (",===\na,b\n1,2\n,===\n", "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"),
        ("include::/etc/passwd[]\n", "*include: /etc/passwd*"),
        ("image::sail.png[A sail,200]\n", "![A sail,200](sail.png)"),
        ("ifdef::x[]\nSeen.\nendif::[]\n", "Seen."),
        ("[quote, Ann, Letters]\n____\nWind.\n____\n", "(Ann, Letters)\n\nWind."),
    ],
)  # fmt: skip
def test_blocks(text: str, expected: str) -> None:
    assert markdown(text, "adoc") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://x.org[the docs] and link:a.html[here^]", "[the docs](https://x.org) and [here](a.html)"),
        ("<<mast,The mast>> and <<boom>>", "The mast and boom"),
        ("xref:oars.adoc[Oars] and linkgit:git-add[1]", "Oars and git-add[1]"),
        ("image:http://x.org/a.png[A sail,link=http://y.org] std::map[x]",
         "[![A sail](http://x.org/a.png)](http://y.org) std::map[x]"),
        ("H~2~O and 10^6^", "H2O and 10^6"),
        (":boat: sloop\n\nThe {boat} sails, {unknown} too.", "The sloop sails, {unknown} too."),
        ("``quoted words'' and `code`", "“quoted words” and `code`"),
        ("kbd:[Ctrl+C] footnote:[Not now.]", "Ctrl+C  (Not now.)"),
        ("[[anchor]]Text ((term)) +\nnext", "Text term\nnext"),
    ],
)  # fmt: skip
def test_marks_in_a_paragraph(text: str, expected: str) -> None:
    assert markdown(text, "adoc") == expected


def test_the_header_is_metadata_and_what_is_not_read_is_on_the_record() -> None:
    text = (
        "= Boats\nAnn Lee <ann@x.org>\nv1.0, 2024-05-01\n:keywords: sail, oar\n:toc: left\n\n// A comment.\n\nText."
        "\n\n////\nA longer\none.\n////\n"
    )
    extraction = read(text, "adoc")
    assert extraction.markdown == "# Boats\n\nAnn Lee <ann@x.org>\nv1.0, 2024-05-01\n\nText."
    metadata = extraction.metadata
    assert (metadata.title, metadata.date, metadata.tags) == ("Boats", "2024-05-01", ("sail", "oar"))
    assert left_out(text, "adoc") == {
        "comments": "A comment.\nA longer\none.",
        "settings of the document": "keywords: sail, oar\ntoc: left",
    }


def test_front_matter_is_metadata() -> None:
    extraction = read("---\ntitle: Boats\ntags: [sail]\n---\n== Sails\n\nText.\n", "adoc")
    assert extraction.markdown == "## Sails\n\nText."
    assert (extraction.metadata.title, extraction.metadata.tags) == ("Boats", ("sail",))


def test_a_passage_has_the_titles_above_it_and_comments_in_code_are_none() -> None:
    code = "----\n# no heading\n----\n"
    text = f"= Boats\n\n{code}{'Wind. ' * 60}\n\n== Oars\n\n{code}{'Row. ' * 60}"
    assert [passage.header_path for passage in passages(text, "adoc", 500)] == [("Boats",), ("Boats", "Oars")]
