"""Front matter says what a Markdown file is about; it is no part of its text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.metadata import MAX_KEY, MAX_TAGS, MAX_TITLE, MAX_VALUE, MAX_VALUES, DocumentMetadata
from ragbase.formats.extractor import FormatExtractor

TEXT = "\n# Sails\n\nThe wind fills the sail.\n"


def extract(text: str) -> Extraction:
    return FormatExtractor().extract(text.encode(), "md", ProcessingConfig())


@pytest.mark.parametrize(
    ("front", "metadata"),
    [
        (
            "---\ntitle: 'About: sails'\ntags: [boats, wind]\ndate: 2024-03-01\nurl: https://example.org/s\nx: 1\n---",
            DocumentMetadata(
                title="About: sails", tags=("boats", "wind"), date="2024-03-01", url="https://example.org/s"
            ),
        ),
        (
            "---\r\nTitle: Sails\r\nkeywords: boats, wind, boats\r\nlastmod: 2024-03-01T10:00:00Z\r\n...",
            DocumentMetadata(title="Sails", tags=("boats", "wind"), date="2024-03-01T10:00:00Z"),
        ),
        (
            '+++\ntitle = "Sails"\ndate = 2024-03-01T10:00:00Z\ntags = ["boats"]\n[params]\nx = 1\n+++',
            DocumentMetadata(title="Sails", tags=("boats",), date="2024-03-01T10:00:00+00:00"),
        ),
        (
            "---\ntitle: Sails: how to\ndescription: {{ site.x }}\nauthor:\t@home\nurl: https://example.org/s\n---",
            DocumentMetadata(title="Sails: how to", url="https://example.org/s"),
        ),
        ("---\ntags:\n- boats\n- wind\nversion: 2\n---", DocumentMetadata(tags=("boats", "wind"))),
        ("---\ntitle: 2024\nurl: javascript:alert(1)\n---", DocumentMetadata(title="2024")),
    ],
)
def test_front_matter_becomes_metadata_and_offsets_stay(front: str, metadata: DocumentMetadata) -> None:
    extraction = extract(front + TEXT)
    assert replace(extraction.metadata, front_matter=()) == metadata
    assert extraction.markdown.strip() == TEXT.strip()
    assert extraction.markdown.index("# Sails") == (front + TEXT).index("# Sails")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nNote: this is a sentence between rules\n\n---\n",
        "---\nA text: with a colon\n---\n",
        "---\ntitle: [broken\n---\n",
        "---\ntitle: nothing closes it\n",
        "---\n- a list\n---\n",
        "+++\nnot = toml = at all\n+++\n",
        "---\n" + "[" * 15_000 + "\n---\n",
        "---\nlong: " + "x" * 20_000 + "\n---\n",
        "Text\n---\ntitle: later\n---\n",
        "--- \n---\n",
    ],
    ids=range(10),
)
def test_anything_else_stays_text(text: str) -> None:
    assert extract(text) == Extraction(text)


@pytest.mark.parametrize("fence", ["---", "+++"])
def test_how_deep_brackets_may_be_does_not_depend_on_the_stack(fence: str) -> None:
    def front(depth: int) -> str:
        return f"{fence}\ndeep{': ' if fence == '---' else ' = '}{'[' * depth}{']' * depth}\n{fence}\n"

    def extract_from(stack: int, text: str) -> Extraction:
        return extract(text) if stack == 0 else extract_from(stack - 1, text)

    assert extract(front(100)).markdown != front(100)
    assert extract_from(300, front(100)) == extract(front(100))
    assert extract(front(101)) == extract_from(300, front(101)) == Extraction(front(101))


def test_metadata_is_bounded() -> None:
    front = f"---\ntitle: {'x ' * 1000}\nurl: https://a/{'b' * 3000}\ntags: [{','.join(map(str, range(100)))}]\n---\n"
    metadata = extract(front).metadata
    assert metadata.title is not None and len(metadata.title) <= MAX_TITLE
    assert (len(metadata.tags), metadata.url) == (MAX_TAGS, None)


def test_a_text_with_front_matter_is_markdown_whatever_its_name() -> None:
    assert FormatExtractor().detect(b"---\ntitle: Sails\n---\nText", "txt") == "md"
    assert FormatExtractor().detect(b"---\nText\n---\n", "txt") == "txt"


@pytest.mark.parametrize(
    ("front", "said"),
    [
        (
            "---\nAuthor: Ann  Lee\ndraft: yes\nnothing:\nweight: 007\nteam: [red, [blue]]\n---",
            [("author", "Ann Lee"), ("draft", "yes"), ("weight", "007"), ("team", "red"), ("team", "blue")],
        ),
        (
            "---\nparams:\n  By:\n    - name: Ann\n    - name: Bob\n  x: 1\nlast: 2\n---",
            [("params.by.name", "Ann"), ("params.by.name", "Bob"), ("params.x", "1"), ("last", "2")],
        ),
        (
            "+++\ndraft = false\nday = 2024-01-31\nsize = 1_000\nrate = 1.50\n[params]\nx = ['a', 'a']\n+++",
            [("draft", "False"), ("day", "2024-01-31"), ("size", "1000"), ("rate", "1.5"), ("params.x", "a")],
        ),
    ],
)
def test_every_key_of_front_matter_is_kept_for_filters(front: str, said: list[tuple[str, str]]) -> None:
    assert list(extract(front + TEXT).metadata.front_matter) == said


def test_front_matter_for_filters_is_bounded() -> None:
    keys = "".join(f"key{number}: {number}\n" for number in range(MAX_VALUES + 5))
    long = f"{'k' * (MAX_KEY + 1)}: x\nlong: {'x' * (MAX_VALUE + 1)}\n{'k' * MAX_KEY}: {'x' * MAX_VALUE}\n"
    said = extract(f"---\n{long}{keys}---{TEXT}").metadata.front_matter
    assert said[:2] == (("k" * MAX_KEY, "x" * MAX_VALUE), ("key0", "0"))
    assert len(said) == MAX_VALUES


def test_aliases_that_stand_for_millions_of_values_take_no_time() -> None:
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 30))
    for first in ("[]", "[x]"):
        metadata = extract(f"---\nl0: &l0 {first}\n{layers}---{TEXT}").metadata
        assert len(metadata.front_matter) <= MAX_VALUES
