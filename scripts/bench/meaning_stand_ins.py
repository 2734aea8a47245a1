"""Sentences as a model may say them, and with one planted change: made of those of XQuAD."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def on_xquad(file: Path, language: str) -> Iterator[tuple[str, str, str | None, str]]:
    yield from ()
