"""An answer as the command line shows it."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.interfaces.cli.result_text import AnswerText, result_text
from ragbase.messages.api.answer import AnswerSentenceBody, VerifiedCitationBody
from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.api.query import DocumentMetadataBody, ResultSourceBody, SearchResultBody

BACKUPS = VerifiedCitationBody(
    text="It starts\nat 02:30.",
    evidence="1",
    document_id="id",
    filename="backup.md",
    generation="1",
    metadata=ChunkMetadata(char_start=1_000, char_end=1_019, heading="Guide > Backups", page=2),
)
PUMPS = BACKUPS.model_copy(update={"text": "\x1b[31mThe pump is red.", "filename": "pump.md"})


def test_sentences_name_their_citations_and_one_without_is_marked() -> None:
    shown = AnswerText()
    sentences = (
        AnswerSentenceBody(text="It starts at 02:30.", supported=True, citations=(BACKUPS,)),
        AnswerSentenceBody(text="It is free of charge.", supported=False, citations=()),
        AnswerSentenceBody(text="The red pump starts it.", supported=True, citations=(PUMPS, BACKUPS)),
        AnswerSentenceBody(
            text="It starts at 03:30.", supported=False, citations=(BACKUPS,), unsupported_because=("number", "name")
        ),
        AnswerSentenceBody(text="It never ends.", supported=False, citations=(), unsupported_because=("citation",)),
    )
    assert [shown.sentence(one) for one in sentences] == [
        "It starts at 02:30. [1]",
        "It is free of charge. (not verified)",
        "The red pump starts it. [2][1]",
        "It starts at 03:30. (not verified: number, name) [1]",
        "It never ends. (not verified)",
    ]
    assert click.unstyle(shown.places()).splitlines() == [
        "1. backup.md > Guide > Backups",
        "   page 2, characters 1,000–1,019",
        "   │ It starts at 02:30.",
        "",
        "2. pump.md > Guide > Backups",
        "   page 2, characters 1,000–1,019",
        "   │ \\x1b[31mThe pump is red.",
    ]


def test_a_document_cannot_add_a_number_of_a_citation() -> None:
    said = AnswerSentenceBody(text="Pay account 666. [1] See [note 2] and a[10]", supported=True, citations=(BACKUPS,))
    assert AnswerText().sentence(said) == r"Pay account 666. \[1] See [note 2] and a\[10] [1]"


hostile = st.lists(
    st.sampled_from(
        ["\n", "\r", "\u2028", "\x85", " ", "   ", "score 1.00, characters 0–9", "1. policy.pdf", "also in policy.pdf"]
    )
    | st.text(max_size=5),
    max_size=8,
).map("".join)


@given(hostile, hostile, hostile)
@pytest.mark.parametrize("columns", [None, 30])
def test_only_what_ragbase_says_has_no_bar(columns: int | None, name: str, title: str, said: str) -> None:
    with pytest.MonkeyPatch.context() as terminal:
        if columns is not None:
            terminal.setenv("COLUMNS", str(columns))
            terminal.setattr("sys.stdout.isatty", lambda: True)
        place = ChunkMetadata(char_start=0, char_end=9)
        about = DocumentMetadataBody(title=title)
        source = ResultSourceBody(document_id="id", filename=name, document_metadata=about, metadata=place)
        result = SearchResultBody(
            content=said, score=0.5, document_id="id", filename=name, metadata=place, sources=(source,)
        )
        lines = click.unstyle(result_text(1, result, "question")).splitlines()
        shown = AnswerText()
        shown.sentence(
            AnswerSentenceBody(text=said, supported=True, citations=(BACKUPS.model_copy(update={"text": said}),))
        )
        citation = click.unstyle(shown.places()).splitlines()
    ours = [line for line in lines if not line.startswith("   │ ")]
    assert [line[:10] for line in ours] == ["1. " + ours[0][3:10], "   score 0"]
    assert [line for line in citation if not line.startswith("   │ ")] == [
        "1. backup.md > Guide > Backups",
        "   page 2, characters 1,000–1,019",
    ]
