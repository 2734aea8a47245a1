"""A use case takes the ports that it uses, by name, and all of them only if it uses more than three."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.taken_ports import EVERYTHING, TakenPorts, Taker

COMMON = Path(__file__).parents[2] / "common"
ROOMS = ("access", "engine", "pipeline", "retrieval", "sources", "upkeep")
MOST_BY_NAME = 3
EXAMPLE = """
from functools import partial
from ragbase.ports import Ports

class Walk:
    ports: Ports

    def step(self):
        ports, now = self.ports, self.ports.clock.now()
        return ports.bucket.name, now

class Round:
    def __init__(self, number: int, profile: Profile) -> None:
        self._profile = profile

    @property
    def _ports(self) -> Ports:
        return self._profile

    def run(self):
        return self._ports.checkpoints, keep(1, ports=self._profile)

def keep(id: int, ports: Ports) -> None:
    ports.documents.get(id)

def begin(walk: Walk, profile: Profile | None) -> None:
    walk.ports.texts.read()
    later = partial(Round, 3, profile)
    Walk(ports=profile).step()

def by_table(ports: Ports) -> None:
    HANDLERS[0](ports)
"""


def test_what_a_taker_uses_is_followed() -> None:
    taken = {
        (taker.owner.removeprefix("example."), taker.name): set(members)
        for taker, members in TakenPorts({"example": EXAMPLE}).members().items()
    }

    assert taken == {
        ("Walk", "ports"): {"clock", "bucket", "texts"},
        ("Round.__init__", "profile"): {"checkpoints", "documents"},
        ("keep", "ports"): {"documents"},
        ("begin", "profile"): {"checkpoints", "documents", "clock", "bucket", "texts"},
        ("by_table", "ports"): {EVERYTHING},
    }


def test_a_use_case_takes_few_ports_by_name() -> None:
    taken = TakenPorts({_module(path): path.read_text(encoding="utf-8") for path in COMMON.rglob("*.py")}).members()
    inside = {taker: members for taker, members in taken.items() if taker.owner.split(".")[1] in ROOMS}
    few = {
        f"{taker.owner}({taker.name}) uses only {', '.join(sorted(members)) or 'nothing'}: let it name that"
        for taker, members in inside.items()
        if EVERYTHING not in members and len(members) <= MOST_BY_NAME
    }

    assert inside, "use cases that take all ports are found at all"
    assert Taker("ragbase.pipeline.route.route", "ports") in inside
    assert not few


def _module(path: Path) -> str:
    parts = path.relative_to(COMMON).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
