"""Whether the audit log is as it was written: every entry in its place, bound to the one before."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragbase.access.read_audit import entries_of
from ragbase.domain.audit import BEGINNING, REGISTRY, Action, AuditEntry, hash_of
from ragbase.domain.errors import MalformedMessage

if TYPE_CHECKING:
    from ragbase.ports import AuditLog


@dataclass(frozen=True, slots=True)
class Break:
    """The first place of a chain that is not as it was written. `number` is that of the entry, and 0 for the chain as
    a whole."""

    chain: str
    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a chain. Who keeps its hash elsewhere can see later that nothing up to here was cut off."""

    chain: str
    number: int
    hash: str


@dataclass(frozen=True, slots=True)
class Verification:
    """`missing` are the hashes of the heads that were asked for and are not in the log."""

    entries: int = 0
    heads: Sequence[Head] = ()
    breaks: Sequence[Break] = ()
    missing: Sequence[str] = ()

    @property
    def is_sound(self) -> bool:
        return not self.breaks and not self.missing


def verify(log: AuditLog, *, heads: Collection[str] = ()) -> Verification:
    """Read the whole log and compute every hash again. `heads` are hashes of entries that the log had once: each has
    to be there still.

    It shows each entry that was changed, removed, inserted or moved, and each chain that is gone or was added. It
    cannot show that the last entries of a chain were cut off, or that all entries from some place on were written
    again, unless a head after that place was kept elsewhere.
    """
    walk = _Walk(set(heads))
    chains = log.chains()
    for chain in chains:
        walk.check(chain, log)
    for chain in [announced for announced in walk.firsts if announced not in chains]:
        walk.check(chain, log)  # it is gone, or has just begun
    if REGISTRY in chains and not any(one.chain == REGISTRY for one in walk.breaks):
        walk.break_strangers(chains)
    missing = [hash for hash in dict.fromkeys(heads) if hash in walk.wanted]
    return Verification(walk.entries, tuple(walk.heads), tuple(walk.breaks), tuple(missing))


@dataclass(slots=True)
class _Walk:
    wanted: set[str]
    """The heads that were not found yet."""
    entries: int = 0
    heads: list[Head] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    firsts: dict[str, str] = field(default_factory=dict)
    """The hash that the registry has of a chain's first entry."""

    def check(self, chain: str, log: AuditLog) -> None:
        number, previous, is_broken = 0, BEGINNING, False
        for entry in entries_of(chain, log):
            number += 1
            reason = None if is_broken else _fault(entry, number, previous)
            if reason is None and number == 1 and self.firsts.get(chain, entry.hash) != entry.hash:
                reason = "the registry has another first entry of this chain"
            if reason is not None:
                self.breaks.append(Break(chain, min(number, entry.number), reason))
                is_broken = True  # what follows was bound to what was there before
            if not is_broken:
                self._note_announced(entry)
                self.wanted.discard(entry.hash)
            previous = entry.hash
        self.entries += number
        if number == 0 and chain in self.firsts:
            self.breaks.append(Break(chain, 0, "the registry announces this chain, and it is gone"))
        if number and not is_broken:
            self.heads.append(Head(chain, number, previous))

    def break_strangers(self, chains: Sequence[str]) -> None:
        for chain in chains:
            if chain != REGISTRY and chain not in self.firsts:
                self.breaks.append(Break(chain, 0, "the registry does not announce this chain"))

    def _note_announced(self, entry: AuditEntry) -> None:
        fields = entry.fields()
        details = fields.get("details")
        if fields.get("action") == Action.BEGIN_CHAIN and isinstance(details, Mapping):
            self.firsts[str(details.get("chain"))] = str(details.get("first"))


def _fault(entry: AuditEntry, number: int, previous: str) -> str | None:
    """What is wrong with the entry in this place; None if nothing is."""
    if entry.number > number:
        return f"it is missing: the next entry is {entry.number}"
    if hash_of(entry.text) != entry.hash:
        return "its text was changed: it does not have its hash"
    try:
        fields = entry.fields()
    except MalformedMessage:
        return "it is no JSON object"
    said = {name: fields.get(name) for name in ("chain", "number", "at", "previous")}
    reasons = {
        "chain": f"it was moved here: it says that it is of the chain {said['chain']}",
        "number": f"it was moved here: it says that it is entry {said['number']}",
        "at": f"its time was changed: lists have it at {entry.at}, and it says {said['at']}",
        "previous": "it does not follow the entry before: that one was changed, or entries were inserted or removed",
    }
    kept = {"chain": entry.chain, "number": number, "at": entry.at, "previous": previous}
    return next((reason for name, reason in reasons.items() if said[name] != kept[name]), None)
