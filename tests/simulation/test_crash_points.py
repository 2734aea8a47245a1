"""A crash, or a passing failure, at any port call leads to the same end as a clean run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragbase.domain.document import Status
from ragbase.domain.errors import TransientError
from tests.simulation.world import Crash, Faults, World

FIRST = "\n\n".join(
    f"## Rule {n}\n\nRule number {n} is explained to the others by whoever reads it first." for n in range(9)
)
SECOND = FIRST.replace("Rule number 4", "The fourth rule")


def upload(world: World) -> None:
    world.put("a.md", FIRST)


def overwrite(world: World) -> None:
    world.put("a.md", FIRST)
    world.run()
    world.put("a.md", SECOND)


def delete(world: World) -> None:
    world.put("a.md", FIRST)
    world.run()
    world.delete("a.md")


def revive(world: World) -> None:
    delete(world)
    world.put("a.md", SECOND)


def twin(world: World) -> None:
    world.put("a.md", FIRST)
    world.run()
    world.put("b.md", FIRST)


def spoil(world: World) -> None:
    world.put("a.json", '{"rule": "whoever reads it first explains it to all the others"}')
    world.run()
    world.put("a.json", '{"rule": ')


HISTORIES = [upload, overwrite, delete, revive, twin, spoil]
FAULTS: dict[str, Callable[[], BaseException]] = {
    "crash": Crash,
    "transient": lambda: TransientError("in passing"),
}


@pytest.mark.parametrize("deliveries", [1, 2])
@pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)
def test_every_crash_point_ends_as_the_clean_run(history: Callable[[World], None], deliveries: int) -> None:
    clean_faults = Faults()
    clean = World(clean_faults)
    history(clean)
    clean.run()
    assert clean_faults.calls
    for number in range(len(clean_faults.calls)):
        for kind, fault in FAULTS.items():
            for moment in ("before", "after"):
                faults = Faults()
                getattr(faults, moment)[number] = fault()
                world = World(faults)
                history(world)
                world.run(deliveries=deliveries)
                assert world.state() == clean.state(), f"{kind} {moment} call {number}, {clean_faults.calls[number]}"
                assert world.dead_letters == []


def test_a_clean_run_is_what_it_should_be() -> None:
    world = World()
    overwrite(world)
    world.run()
    record = world.record("a.md")
    assert record is not None and record.status is Status.COMPLETED
    assert any("The fourth rule" in text for text in world.shown("a.md"))
    assert not any("Rule number 4" in text for text in world.shown("a.md"))
