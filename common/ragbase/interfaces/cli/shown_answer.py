"""An answer on a terminal or in a pipe: sentences as they come, then what is to say about the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ragbase.interfaces.cli.question import print_nothing_found
from ragbase.interfaces.cli.result_text import AnswerText, lines_of_parts, passages_text
from ragbase.interfaces.cli.screen import flowing, visible
from ragbase.messages.api.answer import AnswerResponse, AnswerSentenceBody

if TYPE_CHECKING:
    from ragbase.interfaces.cli.filter_options import Wanted
    from ragbase.interfaces.knowledge.knowledge import Knowledge
    from ragbase.messages.api.answer import AnswerPart


def show_answer(
    parts: Iterable[AnswerPart], question: str, wanted: Wanted, place: str, knowledge: Knowledge
) -> AnswerResponse:
    """Print each part as soon as it is there, and give the whole. `place` is where the documents of `knowledge` are."""
    shown = AnswerText()
    for part in parts:
        if isinstance(part, AnswerSentenceBody):
            click.echo(shown.sentence(part))
        elif isinstance(part, AnswerResponse):
            answer = part
    if not answer.sentences:
        click.echo(flowing(answer.text))
        if not answer.evidence:
            print_nothing_found(answer, wanted, place, knowledge)
    for line in _remarks(answer):
        click.echo(line)
    places = shown.places()
    if places and answer.lacks:
        click.echo(f"\nNo passage of this answer has: {visible(', '.join(answer.lacks))}.")
    if not answer.sentences and answer.missing is not None:
        places = passages_text(answer.evidence, question)
    if places:
        click.echo(f"\n{places}")
    return answer


def _remarks(answer: AnswerResponse) -> Iterator[str]:
    """What the documents do not say, how sure their passages are, and what was searched for."""
    yield from lines_of_parts(answer.parts or ())
    if answer.missing is not None and (answer.sentences or answer.missing.text not in answer.text):
        yield flowing(answer.missing.text)
    if answer.confidence is not None and answer.evidence:
        yield f"confidence of the passages: {flowing(answer.confidence)}"
    if answer.searched_for is not None:
        yield f"searched for: {flowing(answer.searched_for)}"
