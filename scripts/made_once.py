"""What is downloaded or built once, and kept in the user's cache folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from scripts.local_cloud.process import cache_folder, exclusive


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name in the cache. `make` fills it when it is first asked for; other processes wait for it.
    After `make` has raised an error or was interrupted, the next one makes it again, over what was left there."""
    folder = cache_folder(name)
    done = folder / "installed"
    with exclusive(folder):
        if not done.exists():
            make(folder)
            done.touch()
    return folder
