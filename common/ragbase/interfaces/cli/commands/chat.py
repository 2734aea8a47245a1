"""ragbase chat"""

from __future__ import annotations

import click

from ragbase.domain.question import Question
from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import search_options
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options


@click.command("chat")
@search_options
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    *,
    top_k: int | None,
    threshold: float | None,
    tenant: str | None,
    wanted: Wanted,
    as_json: bool,
) -> None:
    """Ask one question after the other, and get answers with citations.

    A question such as "And its price?" is completed from what was said before: the answer says what was searched for.
    Each line is a question, from a pipe, too. /new forgets what was said, /sources shows the passages of the last
    answer, /exit or Ctrl-D ends, and Ctrl-C stops an answer. Nothing of it is kept. With --json, each answer is an
    object on a line of its own.
    """
    from ragbase.interfaces.cli.talk import COMMANDS, Talk
    from ragbase.interfaces.cli.typed_lines import is_typed_here, typed_lines

    is_typed = is_typed_here()
    with session.knowledge(tenant=tenant) as knowledge:
        asked = Question("", top_k, threshold, wanted.within(knowledge))
        talk = Talk(knowledge, asked, wanted, session.place, as_json=as_json, is_typed=is_typed)
        if is_typed and not as_json:
            click.echo(f"Ask a question. {COMMANDS}.", err=True)
        for line in typed_lines():
            if not talk.hear(line):
                break
    if talk.failed and not is_typed:
        raise click.exceptions.Exit(1)
