"""What /api/health answers. `ragbase doctor --json` prints the same of an installation, with its version."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class Check(JsonModel):
    """What one check found and, if it is not `ok`, the remedy. What is not `needed` can wait."""

    name: str
    ok: bool
    needed: bool
    found: str
    remedy: str | None = None


class Checks(JsonModel):
    """`ok` if everything needed is there."""

    ok: bool
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, checks: tuple[Check, ...]) -> Checks:
        return cls(ok=all(check.ok or not check.needed for check in checks), checks=checks)
