"""Work on the scheduled sources that are due, one after another, until a time."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from functools import partial

from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import open_source, scheduled_sources
from ragbase.leases.heartbeat import heartbeat
from ragbase.sources.slice import run_slice
from ragbase.sources.source_leases import BEAT, SourceLeases
from ragbase.sources.sources_file import ScheduledSource


def work_on_due_sources(profile: Profile, *, until: datetime) -> Sequence[ScheduledSource]:
    """Take a slice of each, and return those that got one. How each ended is in its state.

    An error of one stops no other one. Raises ConfigurationError for a mistake in sources.toml, and Unavailable.
    """
    leases = SourceLeases(profile.checkpoints, profile.clock)
    worked = []
    allowed = profile.extractor.allowed
    beating = partial(heartbeat, every=BEAT)
    for source in leases.due(scheduled_sources(profile)):
        if profile.clock.now() >= until:
            break
        lease = leases.take(source)
        if lease is None:
            continue
        worked.append(source)
        opened = partial(
            open_source, source.address, profile.config, profile.bucket, profile.bucket_folder, source.root
        )
        steps = run_slice(
            lease,
            opened,
            bucket=profile.bucket,
            checkpoints=profile.checkpoints,
            clock=profile.clock,
            heartbeat=beating,
            allowed=allowed,
            program_files=profile.program_files,
            until=until,
        )
        try:
            with profile.audit.acting(f"source:{source.name}"):
                deque(steps, maxlen=0)
        except Exception:
            # The state says it, too, and the others get their turn.
            logging.getLogger("ragbase").exception("source.error", extra={"fields": {"source": source.name}})
    return worked
