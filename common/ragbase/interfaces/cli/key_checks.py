"""What `ragbase doctor` says of the API keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragbase.domain.errors import RagbaseError
from ragbase.interfaces.cli.key_rows import warnings_of
from ragbase.interfaces.cli.screen import counted
from ragbase.messages.api.health import Check

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile


def key_checks(profile: Profile) -> Iterator[Check]:
    """Whether some end soon, or never. Nothing, if there are no keys and the API is open."""
    try:
        access = profile.access
        keys = access.keys.all()
        is_locked_up = access.is_locked_up
    except RagbaseError:  # the check of the database says why
        return
    if keys:
        warnings = list(warnings_of(keys, profile.clock.now()))
        yield Check(
            name="keys",
            ok=not warnings,
            needed=False,
            found=counted(len(keys), "key") + (f", {len(warnings)} of interest" if warnings else ""),
            remedy=" ".join(warnings),
        )
    elif is_locked_up:
        yield Check(
            name="keys",
            ok=False,
            needed=False,
            found="no key, and no password: nobody can use the HTTP API",
            remedy="Make a key (`ragbase keys create`) or a password (`ragbase password`).",
        )
