"""ragbase ask"""

from __future__ import annotations

import click

from ragbase.domain.question import Question
from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import question_options
from ragbase.interfaces.cli.screen import print_json
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
    from ragbase.interfaces.cli.shown_answer import show_answer
    from ragbase.messages.api.answer import whole

    with session.knowledge(tenant=tenant) as knowledge:
        parts = knowledge.answer(Question(text, top_k, threshold, wanted.within(knowledge)))
        if as_json:
            print_json(whole(parts))
        else:
            show_answer(parts, text, wanted, session.place, knowledge)
