"""Run one scheduled source to its end, and wait until the pipeline has done its work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial

from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import open_source
from ragbase.domain.errors import RagbaseError
from ragbase.engine.sync import Synced, followed
from ragbase.leases.heartbeat import heartbeat
from ragbase.ports import DocumentSource
from ragbase.sources.slice import run_slice
from ragbase.sources.source_leases import BEAT, SourceLease


def run_source(lease: SourceLease, profile: Profile) -> Iterator[Synced]:
    """What became of each name. How the run ended is in the state of the source. Raises Unavailable if that cannot be
    kept."""
    source = lease.source
    opened = partial(open_source, source.address, profile.config, profile.bucket, profile.bucket_folder, source.root)
    root = source.root
    if root is None and source.delete:
        with suppress(RagbaseError), closing(opened()) as looked_at:  # an error: the run says why
            root = looked_at.root
    profile.look_at_bucket()
    with profile.audit.acting(f"source:{source.name}"):
        yield from _run(lease, profile, opened, deletions_below=root if source.delete else None)


def _run(
    lease: SourceLease, profile: Profile, opened: Callable[[], DocumentSource], *, deletions_below: str | None
) -> Iterator[Synced]:
    beating = partial(heartbeat, every=BEAT)
    steps = run_slice(
        lease,
        opened,
        bucket=profile.bucket,
        checkpoints=profile.checkpoints,
        clock=profile.clock,
        heartbeat=beating,
        allowed=profile.extractor.allowed,
        program_files=profile.program_files,
    )
    yield from followed(steps, profile, deletions_below=deletions_below)
