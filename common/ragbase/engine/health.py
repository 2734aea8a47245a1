"""Whether each part of a deployment does its work: what can be asked of it now, and what waits for somebody.

`ragbase doctor` does some of these checks, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase.domain.document import Status
from ragbase.domain.errors import RagbaseError
from ragbase.engine.used_rate import used_rate
from ragbase.extras import missing_module
from ragbase.messages.api.health import Check

if TYPE_CHECKING:
    from ragbase.access.api_keys import ApiKeys
    from ragbase.bootstrap.current_index import CurrentIndex
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.rate import RateBook, ServiceRate
    from ragbase.ports import AuditLog, Bucket, Checkpoints, Clock, DeadLetters, DocumentStore, Embedder
    from ragbase.settings import Config
    from ragbase.sources.source_leases import SourceLeases
    from ragbase.sources.sources_file import ScheduledSource

_STUCK = timedelta(hours=1)
"""How long a document that needs work may stay as it is. A lease is some minutes, a wait for a service at most some
minutes more; longer ones are told by the check of the embedder."""


def health(profile: Profile) -> Iterator[Check]:
    """Every check. An error of one stops no other one."""
    from ragbase.bootstrap.sources import scheduled_sources
    from ragbase.sources.source_leases import SourceLeases

    yield tried("bucket", "the bucket", lambda: read_bucket(profile.bucket))
    yield tried("records", "the store of the records", lambda: count_records(profile.documents))
    yield _failed_documents(profile.documents)
    yield _lanes(profile.documents, profile.clock)
    yield _dead_letters(profile.dead_letters)
    yield _index(profile.current_index, profile.config)
    yield tried("embedder", profile.config.embedder, lambda: embed(profile.embedder))
    if (limiter := profile.rate_limiter) is not None:
        yield rate_check(limiter.service, limiter.rate, limiter.books, profile.clock)
    yield tried("audit log", "the audit log", lambda: _read_audit_log(profile.audit_log))
    yield _last_comparison(profile.checkpoints)
    yield _sources(lambda: scheduled_sources(profile), SourceLeases(profile.checkpoints, profile.clock))
    yield _keys(profile.access.keys, profile.clock)


def tried(name: str, what: str, attempt: Callable[[], str]) -> Check:
    """What `attempt` found, or its error."""
    try:
        return Check(name=name, ok=True, needed=True, found=attempt())
    except RagbaseError as error:
        remedy = str(error)
    except ModuleNotFoundError as error:
        remedy = missing_module(error.name or "a module")
    except Exception as error:  # noqa: BLE001 - each service's client has errors of its own; they are the result
        remedy = f"{type(error).__name__}: {error}"
    return Check(name=name, ok=False, needed=True, found=f"{what} fails", remedy=remedy)


def embed(embedder: Embedder) -> str:
    return f"{embedder.model}, {len(embedder.embed_query('ready'))} dimensions"


def read_bucket(bucket: Bucket) -> str:
    next(iter(bucket.list()), None)
    return f"{bucket.name} can be read"


def count_records(documents: DocumentStore) -> str:
    return _counted(documents.count(), "document")


def read_index(current_index: CurrentIndex, config: Config) -> str:
    index = current_index.get()
    store = f" in {config.vector_store}" if config.profile == "gcp" else ""
    if index is None:
        return f"there is no index{store} yet"
    index.vectors().read("ready", 0)
    return f"the index {index.index.name}{store} can be read"


def rate_check(service: str, rate: ServiceRate, books: Callable[[], Sequence[RateBook]], clock: Clock) -> Check:
    """How much of the embedding service's rate is booked."""

    def told() -> str:
        now = clock.now()
        used = used_rate(service, rate, books(), now)
        text = (
            f"{used.sent:,} of {used.documents:,} texts of documents in the last minute, {used.booked:,} booked ahead; "
            f"{used.queries:,} a minute are left to queries"
        )
        if used.closed_until is None:
            return text
        seconds = math.ceil((used.closed_until - now).total_seconds())
        return f"{text}; {service} has refused calls, and gets none for {seconds} s"

    return tried("rate", f"the book of {service}'s rate", told)


def _failed_documents(documents: DocumentStore) -> Check:
    return _none_of(
        "failed documents",
        lambda: documents.count(status=Status.FAILED),
        "is FAILED",
        "are FAILED",
        "The list of the documents has the reason and the remedy of each.",
    )


def _lanes(documents: DocumentStore, clock: Clock) -> Check:
    def stuck() -> int:
        return len(documents.waiting(before=clock.now() - _STUCK, limit=100))

    return _none_of(
        "lanes",
        stuck,
        "has waited for an hour",
        "have waited for an hour (100 are counted at most)",
        "Look at the log of the lanes. `ragbase reconcile --repair` sends what is stuck again.",
    )


def _dead_letters(dead_letters: DeadLetters) -> Check:
    return _none_of(
        "dead letters",
        lambda: len(dead_letters.page(limit=100)),
        "undeliverable message is kept",
        "undeliverable messages are kept (100 are counted at most)",
        "Remove the cause that each names, then replay it.",
        noun="",
    )


def _last_comparison(checkpoints: Checkpoints) -> Check:
    from ragbase.upkeep.reconcile.last_report import last_report

    def left() -> int:
        report = last_report(checkpoints).report
        return report.left + len(report.errors) if report is not None else 0

    return _none_of(
        "reconcile",
        left,
        "difference was left by the last comparison",
        "differences were left by the last comparison",
        "`ragbase reconcile --repair` repairs them.",
        noun="",
    )


def _sources(sources: Callable[[], Sequence[ScheduledSource]], leases: SourceLeases) -> Check:
    def failed() -> int:
        return sum(leases.state(source.name).last_error is not None for source in sources())

    remedy = "The list of the sources has the error of each."
    return _none_of(
        "sources", failed, "has failed", "have failed", remedy, noun="source", what="the list of the sources"
    )


def _keys(keys: ApiKeys, clock: Clock) -> Check:
    return _none_of(
        "keys",
        lambda: sum(key.is_over_soon(clock.now()) for key in keys.all()),
        "is over in less than two weeks",
        "are over in less than two weeks",
        "Make another one, and give it to the program.",
        noun="key",
    )


def _none_of(
    name: str,
    count: Callable[[], int],
    one: str,
    many: str,
    remedy: str,
    *,
    noun: str = "document",
    what: str = "the store of the records",
) -> Check:
    """A check that is fine if there are none. It can wait, but somebody should look."""
    counting = tried(name, what, lambda: str(count()))
    if not counting.ok:
        return counting
    found = int(counting.found)
    if not found:
        return Check(name=name, ok=True, needed=False, found="none")
    counted = _counted(found, noun) if noun else f"{found:,}"
    text = f"{counted} {one if found == 1 else many}"
    return Check(name=name, ok=False, needed=False, found=text, remedy=remedy)


def _index(current_index: CurrentIndex, config: Config) -> Check:
    check = tried("index", "the index", lambda: read_index(current_index, config))
    if check.ok and current_index.is_outdated:
        return Check(
            name="index",
            ok=False,
            needed=False,
            found="it was made with other settings than those in force, and goes on with its own",
            remedy="Rebuild it: `ragbase reindex`.",
        )
    return check


def _read_audit_log(audit_log: AuditLog) -> str:
    newest = audit_log.newest(limit=1)
    return f"the last entry is of {newest[0].at[:19]}Z" if newest else "no entry yet"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
