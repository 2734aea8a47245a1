"""The checks of `ragbase doctor`. Where it can, a check tries the thing itself instead of asking for its version."""

from __future__ import annotations

import errno
import fcntl
import importlib.util
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import RagbaseError
from ragbase.engine.check_embedder import try_embedder
from ragbase.engine.check_generator import try_chat_model
from ragbase.engine.check_reranker import try_reranker
from ragbase.engine.health import count_records, rate_check, read_bucket, read_index, tried
from ragbase.engine.older_documents import older_documents
from ragbase.engine.recommend_embedder import recommended_for_all
from ragbase.extras import CLOUD_EXTRAS, EXTRAS, NEEDED, brings_extras, cloud_extras, install_command
from ragbase.formats.sandbox.protections import MEANING, REMEDY, not_held
from ragbase.formats.sandbox.trial import broken_protections
from ragbase.formats.table import KIND as FORMATS
from ragbase.formats.table import added_formats
from ragbase.interfaces.cli.exposed import exposed_message, exposed_secrets
from ragbase.interfaces.cli.key_checks import key_checks
from ragbase.interfaces.cli.screen import counted
from ragbase.messages.api.health import Check
from ragbase.plugins import EMBEDDERS, GENERATORS, RERANKERS, SOURCES, VECTOR_STORES, PluginKind, package_of
from ragbase.settings import Config

PYTHON = (3, 11)
SQLITE = (3, 35)
"""The first with RETURNING, which the embedded queue uses to take messages."""

FREE_SPACE = 500
"""MB: a prepared model, and an index of about 50,000 chunks."""


def check_all(load: Callable[[], Config]) -> Iterator[Check]:
    """Every check. If several fail, fix the first one first."""
    config, wrong = _settings(load)
    yield _python()
    if config is None or config.profile == "embedded":
        yield _sqlite()
        yield from (_extra(name, modules, needed=name in NEEDED) for name, modules in EXTRAS.items())
    else:
        yield from (
            _extra(name, (EXTRAS | CLOUD_EXTRAS)[name], needed=True)
            for name in ("process", "cli", *cloud_extras(config.vector_store, config.embedder, config.generator))
        )
    if config is None:
        yield Check(name="settings", ok=False, needed=True, found="not valid", remedy=wrong)
        return
    yield Check(name="settings", ok=True, needed=True, found="valid; `ragbase config` shows them")
    if (exposed := exposed_secrets(config)) is not None:
        yield Check(name="secrets", ok=False, needed=True, found="others can read them", remedy=exposed)
    for kind in (EMBEDDERS, GENERATORS, RERANKERS, VECTOR_STORES, SOURCES, FORMATS):
        yield from _added(kind)
    yield _sandbox(config)
    if config.profile == "embedded":
        yield _data_folder(config.home)
        yield _privacy(config)
        yield _database(config)
        yield _space(config.home)
        yield _embedder(config)
        yield from _reranker(config)
        yield from _generator(config)
        with closing(EmbeddedProfile(config)) as profile:
            if os.access(profile.database_file, os.F_OK):
                yield from _rate(profile)
                yield from _language(profile)
                yield from _older(profile)
                yield from key_checks(profile)
                yield from _format_change(profile)
    else:
        yield from _services(config)


def _settings(load: Callable[[], Config]) -> tuple[Config | None, str]:
    """The settings, or what is wrong with them."""
    try:
        return load(), ""
    except RagbaseError as error:
        return None, str(error)


def _python() -> Check:
    wanted = ".".join(map(str, PYTHON))
    return Check(
        name="python",
        ok=sys.version_info >= PYTHON,
        needed=True,
        found=sys.version.split()[0],
        remedy=f"Install Python {wanted} or newer.",
    )


def _sqlite() -> Check:
    wanted = ".".join(map(str, SQLITE))
    return Check(
        name="sqlite",
        ok=sqlite3.sqlite_version_info >= SQLITE,
        needed=True,
        found=sqlite3.sqlite_version,
        remedy=f"Use a Python that is built with SQLite {wanted} or newer.",
    )


def _extra(name: str, modules: Sequence[str], *, needed: bool) -> Check:
    missing = [module for module in modules if not _is_installed(module)]
    if missing and name in EXTRAS and brings_extras():
        return Check(name=f"extra {name}", ok=True, needed=needed, found="comes when it is first needed")
    return Check(
        name=f"extra {name}",
        ok=not missing,
        needed=needed,
        found=f"missing: {', '.join(missing)}" if missing else "installed",
        remedy=install_command(name),
    )


def _added(kind: PluginKind) -> Iterator[Check]:
    """What other packages add, and whether it can be imported."""
    try:
        names = kind.added()
    except RagbaseError as error:
        yield Check(name=f"added {kind.what}s", ok=False, needed=False, found="two have one name", remedy=str(error))
        return
    for name, entry in names.items():
        yield tried(f"{kind.what} {name}", package_of(entry), partial(_imported, kind, name))


def _imported(kind: PluginKind, name: str) -> str:
    if kind is FORMATS:
        added_formats()
    kind.load(name)
    return f"added by {package_of(kind.added()[name])}"


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package is not installed
        return False


def _sandbox(config: Config) -> Check:
    """Try what hostile code in the reader of a file would."""
    try:
        broken = broken_protections()
    except Exception as error:  # noqa: BLE001 - whatever it is, no file can be read, and this is why
        lines = str(error).splitlines() or [""]
        return Check(name="sandbox", ok=False, needed=True, found="no file can be read", remedy=lines[-1])
    return Check(
        name="sandbox",
        ok=not broken,
        needed=config.sandbox == "required",
        found=f"does not hold: {', '.join(broken)}" if broken else f"holds: {', '.join(MEANING)}",
        remedy=f"{not_held(broken)} {REMEDY}",
    )


def _data_folder(home: Path) -> Check:
    """Write a file where the data is, or would be, and lock it, as a running process does."""
    folder = _existing(home)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"ragbase")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return Check(
            name="data folder",
            ok=False,
            needed=True,
            found=f"{home}: {error.strerror}",
            remedy="Delete documents, or free space on its disk."
            if error.errno in (errno.ENOSPC, errno.EDQUOT)
            else "Choose a folder that you may write to, on a local disk, with --home or RAGBASE_HOME.",
        )
    found = str(home) if folder == home else f"{home} (created on first use)"
    return Check(name="data folder", ok=True, needed=True, found=found)


def _privacy(config: Config) -> Check:
    """Before anything opens the data folder, which would mend it."""
    with closing(EmbeddedProfile(config)) as profile:
        exposed = profile.exposed_paths()
    return Check(
        name="privacy",
        ok=not exposed,
        needed=True,
        found=f"others can reach {counted(len(exposed), 'path')}" if exposed else "only your user can read the data",
        remedy=exposed_message(exposed, config.home) if exposed else "",
    )


def _database(config: Config) -> Check:
    """Read all of it: it may be damaged where no command has looked yet."""
    with closing(EmbeddedProfile(config)) as profile:
        return tried("database", str(profile.database_file), profile.check_database)


def _space(home: Path) -> Check:
    free = shutil.disk_usage(_existing(home)).free // 1_000_000
    return Check(
        name="disk space",
        ok=free >= FREE_SPACE,
        needed=True,
        found=f"{free:,} MB free",
        remedy=f"Free {FREE_SPACE} MB, or choose a data folder on another disk with --home or RAGBASE_HOME.",
    )


def _embedder(config: Config) -> Check:
    """Embed texts: that needs the complete, correct model."""
    return tried("embedder", config.embedder, lambda: try_embedder(config))


def _reranker(config: Config) -> Iterator[Check]:
    """Rerank, if there is a reranker: while it fails, searches keep their own order, and only the log says so."""
    if config.reranker in RERANKERS.ours and config.reranker != "none":
        yield tried("reranker", config.reranker, lambda: try_reranker(config))


def _generator(config: Config) -> Iterator[Check]:
    """Ask the language model for a word, if there is one: that needs a right key, address and model."""
    if config.generator in GENERATORS.ours and config.generator != "extractive":
        yield tried("generator", config.generator, lambda: try_chat_model(config))


def _services(config: Config) -> Iterator[Check]:
    """Read a little from each service of the profile gcp. Nothing is written."""
    try:
        profile = open_profile(config)
    except RagbaseError as error:
        yield Check(name="profile gcp", ok=False, needed=True, found="cannot be opened", remedy=str(error))
        return
    with closing(profile):
        yield tried("bucket", f"Cloud Storage, {config.bucket}", lambda: read_bucket(profile.bucket))
        yield tried("records", f"Firestore of {config.project}", lambda: count_records(profile.documents))
        yield from key_checks(profile)
        yield _embedder(config)
        yield from _reranker(config)
        yield from _generator(config)
        yield from _rate(profile)
        yield tried("vectors", config.vector_store, lambda: read_index(profile.current_index, profile.config))


def _rate(profile: Profile) -> Iterator[Check]:
    if (limiter := profile.rate_limiter) is not None:
        yield rate_check(limiter.service, limiter.rate, limiter.books, profile.clock)


def _language(profile: Profile) -> Iterator[Check]:
    """Whether the model knows the language of most documents."""
    try:
        recommendation = recommended_for_all(profile.current_index.get(), profile.documents)
    except RagbaseError:  # the check of the database or of the embedder says why
        return
    if recommendation is not None:
        yield Check(
            name="language",
            ok=False,
            needed=False,
            found="another model knows most documents' language better",
            remedy=str(recommendation),
        )


def _older(profile: Profile) -> Iterator[Check]:
    """Whether a reindex would read documents in another way."""
    try:
        found = older_documents(documents=profile.documents, indexes=profile.indexes, maker_for=profile.maker_for)
    except RagbaseError:  # as above
        return
    if found is not None:
        yield Check(
            name="older documents",
            ok=False,
            needed=False,
            found=str(found),
            remedy="Read them again: `ragbase reindex`. With --dry-run, it says what that costs.",
        )


def _format_change(profile: Profile) -> Iterator[Check]:
    """What the checks before have done to an older data folder: they had to open it."""
    if profile.format_change is not None:
        yield Check(name="format", ok=True, needed=True, found=profile.format_change)


def _existing(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    return next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
