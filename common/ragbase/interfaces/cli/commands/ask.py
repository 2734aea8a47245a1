"""ragbase ask"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from ragbase.interfaces.cli.filter_options import Wanted
from ragbase.interfaces.cli.question import (
    check_remote,
    check_tenant,
    nothing_found,
    nothing_found_remotely,
    print_warnings,
    question_options,
    warn_of_filter,
)
from ragbase.interfaces.cli.result_text import AnswerText
from ragbase.interfaces.cli.screen import print_json, visible
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options

if TYPE_CHECKING:
    from ragbase.client.answer_stream import AnswerPart as RemotePart
    from ragbase.domain.near_miss import NearMiss
    from ragbase.retrieval.answer import AnswerPart


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
    if session.remote:
        check_remote(tenant)
        with session.client() as client:
            within = wanted.remote_filter(client)
            if as_json:
                print_json(client.answer(text, top_k=top_k, threshold=threshold, filter=within))
            else:
                _print_remote(client.answer_parts(text, top_k=top_k, threshold=threshold, filter=within))
        return
    from ragbase.engine.answer import answer
    from ragbase.interfaces.wire.answer import answer_response
    from ragbase.interfaces.wire.near_miss import near_miss_body
    from ragbase.interfaces.wire.nothing_to_search import nothing_to_search
    from ragbase.retrieval.answer import whole

    with session.profile(top_k=top_k, similarity_threshold=threshold) as profile:
        check_tenant(tenant, profile)
        parts = answer(text, profile, within=wanted.within(profile), tenant=tenant)
        if as_json:
            answered = whole(parts)
            is_told = answered.evidence or answered.near_miss is not None
            warnings = None if is_told else nothing_to_search(wanted.within(profile), profile.documents, tenant)
            print_json(answer_response(answered, warnings))
            return

        def nothing(miss: NearMiss | None) -> str:
            if miss is None:
                warn_of_filter(profile, wanted, tenant)
            return nothing_found(profile, wanted, near_miss_body(miss))

        _print_local(parts, nothing)


def _print_remote(parts: Iterable[RemotePart]) -> None:
    from ragbase.client.answers import CitedAnswer, CitedSentence

    shown = AnswerText()
    for part in parts:
        if isinstance(part, CitedSentence):
            click.echo(shown.sentence(part))
        elif isinstance(part, CitedAnswer):
            print_warnings(part.warnings)
            reason = "" if part.near_miss is None else f"\n{nothing_found_remotely(part.near_miss)}"
            _print_end(shown, part.lacks, "" if part.sentences else f"{part.text}{reason}")


def _print_local(parts: Iterable[AnswerPart], nothing: Callable[[NearMiss | None], str]) -> None:
    """`nothing` says why there is no evidence."""
    from ragbase.domain.answer import AnswerSentence, GeneratedAnswer
    from ragbase.interfaces.wire.answer import sentence_body

    shown = AnswerText()
    for part in parts:
        if isinstance(part, AnswerSentence):
            click.echo(shown.sentence(sentence_body(part)))
        elif isinstance(part, GeneratedAnswer):
            reason = "" if part.evidence else f"\n{nothing(part.near_miss)}"
            _print_end(shown, part.lacks, "" if part.sentences else f"{part.text}{reason}")


def _print_end(shown: AnswerText, lacks: Sequence[str] | None, instead: str) -> None:
    """Below the sentences, what they do not speak of, and the places that they name. Without a sentence, what stands
    `instead`."""
    places = shown.places()
    if instead:
        click.echo(instead)
    elif places:
        if lacks:
            click.echo(f"\nNo passage of this answer has: {visible(', '.join(lacks))}.")
        click.echo(f"\n{places}")
