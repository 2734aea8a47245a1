"""The router and the lanes in this process, for a profile that has no functions to do their work."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from ragbase.bootstrap.profile import Profile
from ragbase.domain.dead_letter import Message
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.ports import Handlers


def lanes(
    profile: Profile, settled: Callable[[str], object] = lambda _: None, *, routes: bool = True
) -> AbstractContextManager[object]:
    """Run the router (if `routes` is set) and the lanes while the context is entered, if the profile runs them in this
    process.

    `settled` is called with a document's id after each job of this process. Raises ConfigurationError for a setting
    that fits no document.
    """
    if not profile.runs_lanes:
        return nullcontext()
    from ragbase.pipeline.end_leases import end_leases
    from ragbase.pipeline.process import process
    from ragbase.pipeline.route import route

    profile.open_index()  # a wrong setting then fails this call, and not every message

    def handle(job: Job, lane: Lane) -> None:
        process(job, profile.worker(lane))
        settled(job.document_id)

    return profile.subscribe(
        Handlers(
            event=(lambda event: route(event, profile)) if routes else None,
            job=handle,
            undeliverable=_keep(profile),
            worker_died=lambda worker: end_leases(worker, profile),
        )
    )


def collect_dead_letters(profile: Profile) -> None:
    """Keep the undeliverable messages that wait in the profile's queue. No lane has to run for it."""
    profile.collect_dead_letters(_keep(profile))


def _keep(profile: Profile) -> Callable[[Message, str, int], object]:
    from ragbase.upkeep.dead_letters.keep import keep_dead_letter

    return lambda message, reason, deliveries: keep_dead_letter(
        message, reason, profile, deliveries=deliveries, longest_wait=profile.longest_wait
    )
