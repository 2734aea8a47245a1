"""A program: functions-framework, for a function whose ports are those of the embedded profile.

Deployed functions know the profile gcp alone. Over one data folder they do the same work without any server, and a test
can look into it.
"""

from __future__ import annotations

from functions_framework._cli import _cli

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.interfaces.http import start


def open_folder() -> None:
    """From now on, functions that are loaded in this process open the embedded profile."""
    start.CloudProfile = EmbeddedProfile  # type: ignore[assignment,attr-defined]  # it has all that a function asks of one


if __name__ == "__main__":
    open_folder()
    _cli()
