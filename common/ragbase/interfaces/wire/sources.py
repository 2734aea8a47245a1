"""The scheduled sources and their runs, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.server_paths import without_server_paths
from ragbase.engine.failed_documents import failed_of_sources
from ragbase.engine.wait import problem_of
from ragbase.interfaces.wire.left_out import left_out_files
from ragbase.messages.api.sources import SourceList, SourcesResponse, SourceSummary
from ragbase.sources.source_leases import SourceLeases
from ragbase.sources.source_state import SourceState
from ragbase.sources.sources_file import ScheduledSource

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document


MOST_FAILED = 100
"""Documents that are FAILED now and are looked at for the API: each is asked of the bucket."""


def source_list(sources: Iterable[ScheduledSource], profile: Profile, *, most_failed: int | None = None) -> SourceList:
    """With `most_failed`, only so many of the newest documents that are FAILED count for their sources."""
    leases, now = SourceLeases(profile.checkpoints, profile.clock), profile.clock.now()
    states = [(source, leases.state(source.name)) for source in sources]
    failed = failed_of_sources(
        [state for _, state in states], bucket=profile.bucket, documents=profile.documents, most=most_failed
    )
    return SourceList(
        sources=tuple(
            _summary(source, state, documents, now) for (source, state), documents in zip(states, failed, strict=True)
        )
    )


def _summary(source: ScheduledSource, state: SourceState, failed: Sequence[Document], now: datetime) -> SourceSummary:
    counts = state.counts
    return SourceSummary(
        name=source.name,
        address=source.address,
        prefix=source.root,
        delete=source.delete,
        every_minutes=int(source.every.total_seconds()) // 60,
        state=state.phase(now),
        started_at=state.started_at,
        ended_at=state.ended_at,
        next_run_at=state.next_run(source) or now,
        counts=counts.model_copy(update={"failed": counts.failed + len(failed)}),
        left_out=left_out_files(state.left_out),
        error=state.last_error or next((problem_of(document) for document in failed), None),
    )


def sources_response(profile: Profile) -> SourcesResponse:
    """As a caller of the API may see them: without a place on the server's disk."""
    from ragbase.bootstrap.sources import scheduled_sources

    try:
        found = source_list(scheduled_sources(profile), profile, most_failed=MOST_FAILED)
    except ConfigurationError as error:
        return SourcesResponse(sources=(), error=without_server_paths(str(error)))
    return SourcesResponse(sources=tuple(_told(one) for one in found.sources))


def _told(one: SourceSummary) -> SourceSummary:
    error = without_server_paths(one.error) if one.error is not None else None
    return one.model_copy(update={"address": without_server_paths(one.address), "error": error})
