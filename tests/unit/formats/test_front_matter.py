"""What is front matter, and what of it is text for people."""

from __future__ import annotations

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.front_matter import has_front_matter

BODY = "# Pumps\n\nThe pump fills the tank.\n"


def extract(text: str) -> Extraction:
    return FormatExtractor().extract(text.encode(), "md", ProcessingConfig())


def said(front: str, body: str = BODY) -> list[str]:
    """The lines of front matter that are text."""
    text = f"{front}\n{body}"
    extraction = extract(text)
    assert len(extraction.markdown) == len(text)
    assert extraction.markdown[extraction.plain_until :] == text[extraction.plain_until :]
    assert all(a in (b, " ") for a, b in zip(extraction.markdown, text, strict=True))
    lines = extraction.markdown[: extraction.plain_until].splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


@pytest.mark.parametrize(
    "front",
    [
        "title: Pumps\ndate created: 2024-03-05\ndate modified: Tuesday, March 5th 2024",
        "Größe: 4",
        "作者: 王\n标题: 泵",
        "Автор: Анна",
        "1st owner: Ann\n2nd owner: Bob",
        "2024: a year",
        "created at: 2024-03-05",
        "key of two words: a\nother: b",
        '"quoted key": a\ntitle: Pumps',
        "dc:title: Pumps",
        "nothing: ~",
    ],
)
def test_any_key_of_yaml_makes_front_matter(front: str) -> None:
    assert has_front_matter(f"---\n{front}\n---\n{BODY}")


@pytest.mark.parametrize(
    "text",
    [
        "A sentence: with a colon",
        "The tank was empty on that morning: nobody knew why.\nIt was the pump: it had stopped.",
        "**Note**: read it\nWarning: and that",
        "> Quote: a\n> Other: b",
        "- item: a\n- item: b",
        f"{'x' * 50} {'y' * 50}: a\nb: c",
    ],
)
def test_sentences_between_rules_are_text(text: str) -> None:
    assert not has_front_matter(f"---\n{text}\n---\n{BODY}")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_front_matter_has_line_ends_of_three_kinds(newline: str) -> None:
    lines = ["---", "title: Pumps", "description: All about the pumps of the station", "---", "# Tanks", "They leak."]
    extraction = extract(newline.join(lines))
    assert extraction.metadata.title == "Pumps"
    assert " ".join(extraction.markdown.split()) == "All about the pumps of the station # Tanks They leak."


def test_null_is_nothing_and_a_text_in_quotation_marks_is_not_null() -> None:
    metadata = extract("---\ntitle: null\ndate: ~\ntags:\nurl: \nauthor: 'null'\n---\n" + BODY).metadata
    assert (metadata.title, metadata.date, metadata.tags, metadata.url) == (None, None, (), None)
    assert metadata.front_matter == (("author", "null"),)
    assert extract("---\ntitle: 'null'\n---\n" + BODY).metadata.title == "null"
    assert extract("---\ntags: [a, null, b]\n---\n" + BODY).metadata.tags == ("a", "b")


@pytest.mark.parametrize(
    ("front", "date"),
    [
        ("date: '[[2024-05-01]]'", "2024-05-01"),
        ("date: [[2024-05-01]]", "2024-05-01"),
        ("date: '[[2024-05-01|May Day]]'", "2024-05-01"),
        ("date: 05.03.2024\ncreated: 2024-03-05", "2024-03-05"),
        ("date: last week\nupdated: 2024/03/05", "2024/03/05"),
        ("date: 05.03.2024", "05.03.2024"),
        ("date: ~\ndate created: 2024-03-05", "2024-03-05"),
        ("date_created: 2024-03-05\nlast-modified: 2024-04-01", "2024-03-05"),
        ("Last Updated: 2024-04-01T10:00:00Z", "2024-04-01T10:00:00Z"),
    ],
)
def test_the_first_date_that_can_be_read_is_the_document_s(front: str, date: str) -> None:
    assert extract(f"---\nx: 1\n{front}\n---\n{BODY}").metadata.date == date


@pytest.mark.parametrize(
    ("front", "lines"),
    [
        ("description: How to fill the tank", ["How to fill the tank"]),
        ("description: Pumps and tanks", ["Pumps and tanks"]),
        ('description: "How to \\"fill\\" it, then"', ['How to \\"fill\\" it, then']),
        ("summary: 'It''s done in an hour'", ["It''s done in an hour"]),
        ("intro: >-\n  You fill the tank\n  in the morning.", ["You fill the tank", "in the morning."]),
        ("note: The tank is filled\n  in the morning.", ["The tank is filled", "in the morning."]),
        ("описание: Насос наполняет бак водой каждое утро", ["Насос наполняет бак водой каждое утро"]),
        ("说明: 水泵每天早上给水箱加水", ["水泵每天早上给水箱加水"]),
        ("description: Filling: how it is done", ["Filling: how it is done"]),
        (
            "terms:\n  PMP: main pump of the station\n  RLV: relief valve",
            ["terms:", "PMP: main pump of the station", "RLV: relief valve"],
        ),
        (
            "faq:\n  - q: Who fills the tank?\n    a: Ann\n  - q: When?\n    a: At six",
            ["faq:", "- q: Who fills the tank?", "a: Ann", "- q: When?", "a: At six"],
        ),
        (
            "hero:\n  text: The pump that never stops\n  image: /pump.png\n  dark: true\n  link: https://a.example/b",
            ["hero:", "text: The pump that never stops"],
        ),
        ("goals: [You know the pump, You know the tank]", ["goals: You know the pump You know the tank"]),
        ("Who it is for: Everybody in the station", ["Who it is for: Everybody in the station"]),
    ],
)
def test_what_is_text_for_people_is_text(front: str, lines: list[str]) -> None:
    assert said(f"---\nlayout: page\n{front}\ndraft: false\n---") == lines


@pytest.mark.parametrize(
    "front",
    [
        "title: How to fill the tank in the morning",
        "title: Filling the big tank twice\nsidebar_label: Filling the big tank",
        "date modified: Tuesday, March 5th 2024 in the morning",
        "tags: [all about pumps, all about big tanks]",
        "keywords: pump, tank, valve, water, oil",
        "author: Ann van den Berg",
        "author_name: Ann Lee on behalf of the team",
        "authors:\n  - name: Ann van Berg\n    title: Chief of all pumps",
        "authors: Ann Lee, Bob Stone, Eve Day, Joe Hill",
        "redirect_from: [/a/b/c, /d/e/f]\nimage: /img/a.png\ncolor: '#ffaa00'",
        "head:\n  - - script\n    - {}\n    - window.a = window.a || []; function b(){};",
        "# a comment of many words about it\nx: 1",
        "description: Filling\ntitle: Filling",
        "description: '{{ site.description | of all pumps }}'",
    ],
)
def test_what_is_for_programs_or_is_metadata_is_no_text(front: str) -> None:
    assert said(f"---\n{front}\nlayout: page\n---") == []


def test_toml_says_as_much() -> None:
    front = (
        '+++\ntitle = "Terms"\nweight = 3\nsummary = "What it means"\n[terms]\nPMP = "main pump of the station"\n+++'
    )
    assert said(front) == ["What it means", "PMP main pump of the station"]


def test_a_page_of_front_matter_alone_is_found_by_its_words_and_says_where_they_stand() -> None:
    text = "---\ntitle: Glossary\nlayout: glossary\ndefinitions:\n  PMP: main pump\n  RLV: relief valve\n---\n"
    (passage,) = MarkdownChunker().split(extract(text))
    assert passage.text == "definitions:\n  PMP: main pump\n  RLV: relief valve"
    assert passage.text == text[passage.char_start : passage.char_end]
    assert passage.header_path == ("Glossary",)


def test_a_description_stands_in_front_of_the_text_without_markup() -> None:
    text = "---\ntitle: Pumps\nnotes: |\n  # Read this in the morning\n  - and this\n---\n\n# Tanks\n\nThey leak.\n"
    (passage,) = MarkdownChunker().split(extract(text))
    assert " ".join(passage.text.split()) == "# Read this in the morning - and this # Tanks They leak."
    assert passage.header_path == ("Pumps",)


def test_settings_that_are_neither_metadata_nor_text_are_noted() -> None:
    aliases = "".join(f"  - /old/page-{number}\n" for number in range(60))
    (note,) = extract(f"---\ntitle: Pumps\naliases:\n{aliases}---\n{BODY}").all_notes
    assert note.startswith("Left out: settings in the front matter: “/old/page-49")
    assert extract(f"---\ntitle: Pumps\nslug: pumps\ndescription: {'all about pumps ' * 30}\n---\n{BODY}").notes == ()


def test_deep_lists_are_no_front_matter() -> None:
    assert not has_front_matter(f"---\na:\n  {'- ' * 3000}x\n---\n")


@pytest.mark.parametrize(
    "value",
    [
        "a/" * 7000 + " b",
        "a:a" * 5000,
        "(" * 7000 + " )",
        "'" * 15_000,
        ") " * 7000 + "x",
        "{{ " * 5000,
        "- " * 90 + "a: b: c",
    ],
    ids=lambda value: value[:8],
)
def test_hostile_values_take_linear_time(value: str) -> None:
    assert extract(f"---\ntitle: Pumps\ndescription: {value}\nx: y: z\n---\n{BODY}").markdown.endswith(BODY)
