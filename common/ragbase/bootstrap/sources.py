"""Which source an address names. A new kind of source has one line here, and one in plugins.py."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError, UnreadableSource
from ragbase.extras import bring
from ragbase.plugins import SOURCES
from ragbase.sources.sources_file import ScheduledSource, read_sources_file

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.ports import Bucket, DocumentSource
    from ragbase.settings import Config


def open_source(
    address: str, config: Config, bucket: Bucket, bucket_folder: Path | None, root: str | None = None
) -> DocumentSource:
    """The source at `s3://BUCKET/FOLDER`, `gs://BUCKET/FOLDER` or `https://SITE/`, that of another package, or the
    folder of this machine with this path. `bucket` has what a sync before has brought, and `bucket_folder` has its
    objects as files, if there is one. `root` is where the documents of the source are, if not at its own root.

    Raises UnreadableSource if there is no such kind of source, or no such folder.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        return _folder(address, bucket_folder, config)
    if scheme.lower() in _SITES:
        return _site(address, bucket, root, config)
    if scheme.lower() in _SCHEMES:
        return _SCHEMES[scheme.lower()](rest, config)
    if scheme.lower() not in SOURCES:
        kinds = ", ".join(f"{known}://" for known in SOURCES)
        raise UnreadableSource(f"{address}: ragbase cannot sync from {scheme}://. Name a folder, or one of {kinds}.")
    from ragbase.bootstrap.added import made_by

    added: DocumentSource = made_by(SOURCES, scheme.lower(), address, config)
    return added


def scheduled_sources(profile: Profile) -> Sequence[ScheduledSource]:
    """The sources of sources.toml, in its order. Raises ConfigurationError for a mistake in it, and Unavailable."""
    file, text = profile.sources_file()
    folders = profile.bucket_folder is not None
    return read_sources_file(text or "", file, schemes=SOURCES, folders=folders)


def scheduled_source(name: str, profile: Profile) -> ScheduledSource:
    """The source of this name. Raises as `scheduled_sources` does, and ConfigurationError if there is none."""
    sources = scheduled_sources(profile)
    for source in sources:
        if source.name == name:
            return source
    known = ", ".join(source.name for source in sources) or "none"
    raise ConfigurationError(f"{profile.sources_file()[0]}: there is no source [{name}]. The sources are: {known}.")


def _folder(path: str, bucket_folder: Path | None, config: Config) -> DocumentSource:
    from ragbase.domain.program_files import ProgramFiles
    from ragbase.sources.folder_source import FolderSource

    return FolderSource(
        Path(path),
        bucket_folder,
        program_files=ProgramFiles(config.program_files),
        follow_links=config.follow_links,
    )


def _s3(rest: str, config: Config) -> DocumentSource:
    from ragbase.adapters.amazon.source import S3Source

    bring("s3")
    return S3Source(*_bucket_and_prefix("s3", rest), requester_pays=config.s3_requester_pays)


def _cloud_storage(rest: str, config: Config) -> DocumentSource:
    from ragbase.adapters.google.bucket import CloudStorageBucket
    from ragbase.sources.bucket_source import BucketSource

    bucket, prefix = _bucket_and_prefix("gs", rest)
    return BucketSource(CloudStorageBucket(bucket, project=config.project or None), prefix, scheme="gs")


def _site(url: str, bucket: Bucket, root: str | None, config: Config) -> DocumentSource:
    """It asks for a page with the mark of the object that a sync has brought, and finds the links of an unchanged page
    there."""
    from ragbase.sources.brought import MARK_KEY
    from ragbase.sources.page_look import Remembered
    from ragbase.sources.site_source import SiteSource

    def remembered(name: str) -> Remembered | None:
        stored = bucket.stat((source.root if root is None else root) + name)
        if stored is None or MARK_KEY not in stored.metadata:
            return None
        return Remembered(stored.metadata[MARK_KEY], lambda: bucket.read(stored.name, stored.generation))

    hosts = frozenset(host.strip().lower() for host in config.allowed_hosts.split(",") if host.strip())
    source = SiteSource(
        url,
        allowed_hosts=hosts,
        remembered=remembered,
        connections=config.site_connections,
        pdf=config.site_pdf,
    )
    return source


def _bucket_and_prefix(scheme: str, rest: str) -> tuple[str, str]:
    """`BUCKET/FOLDER`, with or without "/" at the end. The prefix is empty or ends with "/"."""
    bucket, _, folder = rest.partition("/")
    if not bucket:
        raise UnreadableSource(
            f"{scheme}://{rest}: it names no bucket. Write {scheme}://BUCKET or {scheme}://BUCKET/FOLDER."
        )
    return bucket, f"{folder.rstrip('/')}/" if folder.rstrip("/") else ""


_SCHEMES = {"s3": _s3, "gs": _cloud_storage}
_SITES = ("https", "http")
