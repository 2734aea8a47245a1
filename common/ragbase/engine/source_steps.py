"""The steps of a sync from the source at an address into the profile's bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import open_source
from ragbase.sources.sync import SyncStep, sync


@contextmanager
def source_steps(
    address: str,
    profile: Profile,
    root: str | None,
    *,
    delete: bool,
    force: bool = False,
    dry_run: bool = False,
) -> Iterator[tuple[str, Iterator[SyncStep]]]:
    """The folder of the bucket that it syncs to (`root`, or the source's own), and the steps. The source is open in the
    context. Raises what `sync` and `open_source` raise."""
    with closing(open_source(address, profile, root)) as source:
        folder = source.root if root is None else root
        profile.look_at_bucket()
        allowed = profile.extractor.allowed
        yield (
            folder,
            sync(source, profile.bucket, root=folder, delete=delete, force=force, dry_run=dry_run, allowed=allowed),
        )
