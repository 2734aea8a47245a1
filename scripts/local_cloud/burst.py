"""Many files at once: make them, upload them, wait for them, and index the same files with the embedded profile."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.job import ProcessingConfig
from ragbase.engine.lanes import lanes
from scripts.local_cloud.inside import Index, profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.user import User, eventually

UPLOADERS = 8
"""How many files one user uploads at a time."""


@dataclass(frozen=True)
class File:
    content: bytes
    content_type: str


Files = Mapping[str, File]
"""Files by their names in the bucket."""


def made_up(folder: str, count: int, *, seed: int) -> Files:
    """Make `count` files in `folder`, all different: mostly Markdown of up to 12 KB, and some text, JSON and PDF.

    The same seed gives the same files.
    """
    chance = random.Random(seed)
    files = {}
    for number in range(count):
        kind = chance.choices(("md", "txt", "json", "pdf"), weights=(78, 12, 6, 4))[0]
        name = f"{folder}/{number:03}.{kind}"
        files[name] = _made_up(kind, f"{folder} {number}", chance)
    return files


def of_folder(folder: Path, prefix: str) -> Files:
    """All Markdown files in a folder and its subfolders, except those that are too short to be indexed."""
    return {
        f"{prefix}/{file.relative_to(folder).as_posix()}": File(file.read_bytes(), "text/markdown")
        for file in sorted(folder.rglob("*.md"))
        if len(file.read_text(encoding="utf-8").strip()) >= ProcessingConfig().min_text_length
    }


def upload_all(user: User, files: Files) -> None:
    with ThreadPoolExecutor(UPLOADERS) as threads:
        for _ in threads.map(lambda name: user.upload(name, files[name].content, files[name].content_type), files):
            pass


def settled(user: User, files: Files, seconds: float) -> Mapping[str, str]:
    """Wait until every file is COMPLETED or FAILED, and return each file's status."""

    def look() -> Mapping[str, str] | None:
        if user.open_documents():
            return None
        seen = user.documents()
        statuses = {name: str(seen[name]["status"]) for name in files if name in seen}
        ended = len(statuses) == len(files) and set(statuses.values()) <= {"COMPLETED", "FAILED"}
        return statuses if ended else None

    return eventually(look, seconds, every=0.5)


@contextmanager
def embedded(files: Files, bucket: str, home: Path) -> Iterator[Index]:
    """Index the same files with the embedded profile, in a bucket of the same name. The index is complete."""
    config = load_config(environment={}, home=home, embedder="hashing", bucket=bucket)
    with closing(open_profile(config)) as profile:
        index = Index(profile)
        with lanes(profile):
            for name, file in files.items():
                profile.bucket.put(name, file.content, content_type=file.content_type)
            for name in files:
                eventually(lambda name=name: (record := index.record(name)) and not record.needs_work)  # type: ignore[misc]  # mypy cannot type the default
        yield index


def different_from_embedded(cloud: LocalCloud, files: Files) -> list[str]:
    """The files for which search shows other chunks than in an embedded profile that indexed the same files."""
    with (
        tempfile.TemporaryDirectory() as home,
        profile_of(cloud) as profile,
        embedded(files, profile.bucket.name, Path(home)) as reference,
    ):
        here = Index(profile)
        return [name for name in files if here.shown(name) != reference.shown(name)]


def _made_up(kind: str, subject: str, chance: random.Random) -> File:
    if kind == "pdf":
        return File(pdf(*(_paragraph(chance, subject, 6) for _ in range(chance.randint(1, 4)))), "application/pdf")
    if kind == "json":
        rows = [{"subject": subject, "row": row, "note": _paragraph(chance, subject, 1)} for row in range(12)]
        return File(json.dumps(rows).encode(), "application/json")
    paragraphs = [_paragraph(chance, subject, chance.randint(1, 6)) for _ in range(chance.randint(2, 18))]
    if kind == "txt":
        return File("\n\n".join(paragraphs).encode(), "text/plain")
    titled = [f"## Part {number} of {subject}\n\n{paragraph}" for number, paragraph in enumerate(paragraphs)]
    whole = "\n\n".join([f"# All of {subject}", *titled])
    return File(f"{whole}\n".encode(), "text/markdown")


def _paragraph(chance: random.Random, subject: str, sentences: int) -> str:
    return " ".join(f"{' '.join(chance.choices(_WORDS, k=12)).capitalize()} of {subject}." for _ in range(sentences))


_SYLLABLES = ("ka", "lo", "mi", "ten", "ras", "vu", "or", "bel", "sin", "da", "pre", "um")
_WORDS = [first + second + third for first in _SYLLABLES for second in _SYLLABLES for third in _SYLLABLES[:4]]
