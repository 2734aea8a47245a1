"""Replay a dead letter on somebody's wish, with entries in the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.audit import Action
from ragbase.domain.name_forms import nfc
from ragbase.upkeep.dead_letters.replay import Replay, replay

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.dead_letter import DeadLetter


def replay_dead_letter(dead_letter: DeadLetter, profile: Profile) -> Replay:
    """As upkeep/dead_letters/replay.py does it."""
    tenant = profile.config.tenancy.tenant_of(nfc(dead_letter.name)) if dead_letter.name is not None else None
    details = {"deadLetter": dead_letter.id}
    with profile.audit.changing(
        Action.REPLAY, dead_letter.document_id or "", tenant=tenant, details=details
    ) as recorded:
        done = replay(dead_letter, profile)
        recorded["fate"] = done.fate.value
    return done
