"""ragbase ask"""

from __future__ import annotations

from collections.abc import Sequence

import click

from ragbase.domain.question import Question
from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import print_nothing_found, question_options
from ragbase.interfaces.cli.result_text import AnswerText
from ragbase.interfaces.cli.screen import flowing, print_json, visible
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options


@click.command("ask")
@question_options
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    text: str,
    *,
    top_k: int | None,
    threshold: float | None,
    tenant: str | None,
    wanted: Wanted,
    as_json: bool,
) -> None:
    """Answer a question in sentences with citations.

    A sentence is shown as soon as it is complete. Each citation is a place in a document, and was compared with its
    text. A sentence that its citations do not support is marked. If no document is about the subject, there is no
    answer. The options from --document to --to leave out documents; they all have to fit.
    """
    from ragbase.messages.api.answer import AnswerResponse, AnswerSentenceBody, whole

    with session.knowledge(tenant=tenant) as knowledge:
        parts = knowledge.answer(Question(text, top_k, threshold, wanted.within(knowledge)))
        if as_json:
            print_json(whole(parts))
            return
        shown = AnswerText()
        for part in parts:
            if isinstance(part, AnswerSentenceBody):
                click.echo(shown.sentence(part))
            elif isinstance(part, AnswerResponse):
                answer = part
    if not answer.sentences:
        click.echo(flowing(answer.text))
        if not answer.evidence:
            print_nothing_found(answer, wanted, session.place)
    _print_places(shown, answer.lacks)


def _print_places(shown: AnswerText, lacks: Sequence[str] | None) -> None:
    """Below the sentences, what they do not speak of, and the places that they name."""
    places = shown.places()
    if places:
        if lacks:
            click.echo(f"\nNo passage of this answer has: {visible(', '.join(lacks))}.")
        click.echo(f"\n{places}")
