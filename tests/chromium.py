"""Debian's Chromium, driven by Playwright. It leaves neither processes nor files."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.local_cloud.missing_server import Missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PATIENCE = 60_000
"""Milliseconds after which a test is stuck. A machine with much to do is slow."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Raises Missing where there is none."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise Missing("There is no Chromium on this machine. Install Debian's package chromium.")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    # Its settings and reports of crashes are here, not in the user's home.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=_with_fixed_network(found, Path(home)),
                    # A container has no user namespaces for Chromium's own sandbox. It opens nothing but our page.
                    args=["--no-sandbox"],
                    env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home},
                    timeout=PATIENCE,
                )
                yield browser
                browser.close()
        finally:
            for process in _processes_of(home):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _with_fixed_network(program: str, folder: Path) -> Path:
    """A program that starts this one by fixed_network.py: tests beside this one start and end containers."""
    script = folder / "chromium"
    command = shlex.join([sys.executable, str(Path(__file__).with_name("fixed_network.py")), program])
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    return script


def _processes_of(home: str) -> list[int]:
    """The processes with this home: those of the browser, which is the only one to have it."""
    own, found = f"HOME={home}".encode(), []
    for variables in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it has just ended, or is another user's
            if own in variables.read_bytes().split(b"\0"):
                found.append(int(variables.parent.name))
    return found
