"""An answer as the command line shows it."""

from __future__ import annotations

import click

from ragbase.interfaces.cli.result_text import AnswerText
from ragbase.messages.api.answer import CitationBody, SentenceBody
from ragbase.messages.api.chunk_metadata import ChunkMetadata

BACKUPS = CitationBody(
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
        SentenceBody(text="It starts at 02:30.", supported=True, citations=(BACKUPS,)),
        SentenceBody(text="It is free of charge.", supported=False, citations=()),
        SentenceBody(text="The red pump starts it.", supported=True, citations=(PUMPS, BACKUPS)),
    )
    assert [shown.sentence(one) for one in sentences] == [
        "It starts at 02:30. [1]",
        "It is free of charge. (not verified)",
        "The red pump starts it. [2][1]",
    ]
    assert click.unstyle(shown.places()).splitlines() == [
        "1. backup.md > Guide > Backups",
        "   page 2, characters 1,000–1,019",
        "   It starts at 02:30.",
        "",
        "2. pump.md > Guide > Backups",
        "   page 2, characters 1,000–1,019",
        "   \\x1b[31mThe pump is red.",
    ]
