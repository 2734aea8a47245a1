"""ragbase ask"""

from __future__ import annotations

import click

from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import check_remote, nothing_found, question_options
from ragbase.interfaces.cli.result_text import answer_text
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

    Each citation is a place in a document, and was compared with its text. A sentence that its citations do not
    support is marked. If no document is about the subject, there is no answer. The options from --document to --to
    leave out documents; they all have to fit.
    """
    if session.remote:
        check_remote(threshold, tenant)
        with session.client() as client:
            found = client.answer(text, top_k=top_k, filter=wanted.remote_filter(client))
        if as_json:
            print_json(found)
        else:
            click.echo(answer_text(found) if found.sentences else found.text)
        return
    from ragbase.engine.answer import answer
    from ragbase.interfaces.wire.answer import answer_response
    from ragbase.retrieval.answer import whole

    with session.profile(top_k=top_k, similarity_threshold=threshold) as profile:
        given = whole(answer(text, profile, within=wanted.within(profile), tenant=tenant))
        nothing = "" if given.evidence or as_json else nothing_found(profile, wanted)
    response = answer_response(given)
    if as_json:
        print_json(response)
    elif given.evidence:
        click.echo(answer_text(response))
    else:
        click.echo(f"{given.text}\n{nothing}")
