"""The router and the lanes in this process, for a profile that has no functions to do their work."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.dead_letter import Message
from ragbase.ports import Handlers

_LOOK_EVERY = 5.0
"""Seconds between two looks for documents that an extractor elsewhere has not answered."""


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
    from ragbase.pipeline.claim import end_leases
    from ragbase.pipeline.process import process
    from ragbase.pipeline.route import route

    profile.open_index()  # a wrong setting then fails this call, and not every message
    profile.check_sandbox()

    subscribed = profile.subscribe(
        Handlers(
            event=(lambda event: route(event, profile)) if routes else None,
            job=lambda job, lane: process(job, profile.worker(lane)),
            job_done=lambda job: settled(job.document_id),
            undeliverable=_keep(profile),
            worker_died=lambda worker: end_leases(worker, profile.documents, profile.clock),
        )
    )
    return subscribed if profile.extractor_timeout is None else _ending_overdue(subscribed, profile)


@contextmanager
def _ending_overdue(lanes: AbstractContextManager[object], profile: Profile) -> Iterator[None]:
    """While the lanes run, end the documents that an extractor elsewhere has not answered in time. In the profile gcp,
    the janitor does so."""
    from ragbase.leases.heartbeat import heartbeat
    from ragbase.pipeline.not_answered import end_all_overdue

    def end() -> bool:
        try:
            end_all_overdue(profile)
        except Exception as error:  # noqa: BLE001 - the next look may succeed
            telemetry.log("extractor.not_looked", level=logging.WARNING, reason=f"{type(error).__name__}: {error}")
        return True

    with lanes, heartbeat(end, every=_LOOK_EVERY):
        yield


def collect_dead_letters(profile: Profile) -> None:
    """Keep the undeliverable messages that wait in the profile's queue. No lane has to run for it."""
    profile.collect_dead_letters(_keep(profile))


def _keep(profile: Profile) -> Callable[[Message, str, int], object]:
    from ragbase.upkeep.dead_letters.keep import keep_dead_letter

    return lambda message, reason, deliveries: keep_dead_letter(
        message, reason, profile, deliveries=deliveries, longest_wait=profile.longest_wait
    )
