"""The scenarios of the crash matrix: each use case, in a world where it has all of its work to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ragbase.domain.document import Document
from ragbase.domain.identity import chunk_id, document_id
from ragbase.domain.limits import MAX_RETRIES
from ragbase.ports import Topic
from ragbase.upkeep.janitor import ROUND
from ragbase.upkeep.reconcile.compare import GRACE
from tests.simulated_world.contents import CONTENTS
from tests.simulated_world.world import BUCKET, World

Act = Callable[[World], None]


@dataclass(frozen=True, slots=True)
class Scenario:
    """`before` runs without faults. The faults are in `act`, and in all that the pipeline does after it."""

    before: Act
    act: Act


def _nothing(world: World) -> None:
    pass


def _put(*objects: tuple[str, str]) -> Act:
    def put(world: World) -> None:
        for name, text in objects:
            world.put(name, CONTENTS[text])

    return put


def _give(*texts: tuple[str, str]) -> Act:
    def give(world: World) -> None:
        for name, text in texts:
            world.give(name, CONTENTS[text].decode())

    return give


def _delete(name: str) -> Act:
    def delete(world: World) -> None:
        world.delete(name)

    return delete


def _then(*acts: Act) -> Act:
    """Do one after another. Each waits until the one before is finished."""

    def do(world: World) -> None:
        for number, act in enumerate(acts):
            if number:
                world.run()
            act(world)

    return do


def _losing(*messages: str, act: Act) -> Act:
    """Do it while all messages are lost whose names begin with one of these."""

    def do(world: World) -> None:
        world.losing = messages
        act(world)
        world.run()
        world.losing = ()

    return do


def _put_and_delete(world: World) -> None:
    world.put("a.md", CONTENTS["four"])
    world.schedule.after(0.15, lambda: world.delete("a.md"))  # in the middle of its work


def _while_parts_are_read(act: Act) -> Act:
    """Publish the lost job of a PDF, and do it in the middle of the work on its parts."""

    def do(world: World) -> None:
        record = world.documents.get(document_id(BUCKET, "e.pdf"))
        if record is None:
            raise AssertionError("e.pdf was not uploaded")
        world.published(Topic.HEAVY, record.job, "")
        world.schedule.after(0.25, lambda: act(world))

    return do


def _rename(world: World) -> None:
    world.put("b.md", CONTENTS["four"])
    world.delete("a.md")


def _give_up(name: str) -> Act:
    """The queue gives up the job of a document that has no attempt left."""

    def do(world: World) -> None:
        def without_attempts(record: Document | None) -> Document | None:
            return replace(record, attempts=MAX_RETRIES + 1) if record is not None else None

        world.documents.update(document_id(BUCKET, name), without_attempts)
        world.give_up(name)

    return do


def _damage(world: World) -> None:
    """One document loses a chunk, one gets a chunk of no generation, and one chunk has no document at all."""
    id, generation = document_id(BUCKET, "a.md"), _generation(world, "a.md")
    chunks = world.vectors.read(id, generation)
    world.vectors.delete(id, generation=generation)
    world.vectors.write(chunks[1:])
    for id in (document_id(BUCKET, "b.md"), document_id(BUCKET, "never put.md")):
        chunk = replace(chunks[0].chunk, id=chunk_id(id, 1, 0, "other settings"), document_id=id, generation=1)
        world.vectors.write([replace(chunks[0], chunk=chunk)])


def _scheduled(act: Act, then: Act) -> Act:
    """Do it, and then what a schedule does in its next round. The wait is necessary: until the grace is over, a
    document of an interrupted run looks as if it were in motion."""

    def do(world: World) -> None:
        act(world)
        world.schedule.after((ROUND + GRACE).total_seconds(), lambda: then(world))

    return do


def _reindex_in_use(world: World) -> None:
    world.reindex()
    world.put("d.json", CONTENTS["json"])
    world.delete("c.txt")


def _generation(world: World, name: str) -> int:
    record = world.documents.get(document_id(BUCKET, name))
    if record is None:
        raise AssertionError(f"{name} was not uploaded")
    return record.generation


def _wait(world: World) -> None:
    world.schedule.after(GRACE.total_seconds() + 1, lambda: None)


_A = _put(("a.md", "four"))
_JOBS = ("fast-lane", "heavy-lane")
_EVENTS = ("finalised", "deleted")
_LOST_PDF = _losing(*_JOBS, act=_put(("e.pdf", "pdf")))
_DAMAGED = _then(
    _put(("a.md", "four"), ("b.md", "one"), ("c.txt", "last-three")),
    _damage,
    _losing(*_EVENTS, act=_then(_delete("c.txt"), _put(("d.json", "json")))),
    _losing(*_JOBS, act=_put(("e.pdf", "pdf"))),
    _wait,
)

SCENARIOS = {
    "upload": Scenario(_nothing, _put(("a.md", "headed"))),
    "upload of a PDF": Scenario(_nothing, _put(("e.pdf", "pdf"))),
    "edit of a PDF": Scenario(_put(("e.pdf", "pdf")), _put(("e.pdf", "long pdf"))),
    "overwrite of a PDF in work": Scenario(_LOST_PDF, _while_parts_are_read(_put(("e.pdf", "long pdf")))),
    "delete of a PDF in work": Scenario(_LOST_PDF, _while_parts_are_read(_delete("e.pdf"))),
    "callback for a PDF in work": Scenario(
        _LOST_PDF, _scheduled(_while_parts_are_read(_give(("e.pdf", "headed"))), World.janitor)
    ),
    "PDF with a damaged page": Scenario(_put(("e.pdf", "pdf")), _put(("e.pdf", "damaged page"))),
    "PDF with a page that kills": Scenario(_nothing, _put(("e.pdf", "poisoned page"))),
    "PDF whose parts are lost": Scenario(
        _then(_losing("heavy-lane e.pdf of setup (", act=_put(("e.pdf", "pdf"))), _wait),
        _scheduled(World.janitor, World.janitor),
    ),
    "upload of a duplicate": Scenario(_A, _put(("b.md", "four"))),
    "upload to another lane": Scenario(_nothing, _put(("a.md", "pdf"))),
    "upload of an unknown kind": Scenario(_A, _put(("f.exe", "four"))),
    "edit": Scenario(_A, _put(("a.md", "four-edited"))),
    "corrupt overwrite": Scenario(_put(("d.json", "json")), _put(("d.json", "corrupt json"))),
    "two overwrites": Scenario(_A, _put(("a.md", "one"), ("a.md", "last-three"))),
    "delete": Scenario(_A, _delete("a.md")),
    "delete during work": Scenario(_nothing, _put_and_delete),
    "upload over HTTP": Scenario(_nothing, lambda world: world.add("a.md", CONTENTS["headed"])),
    "edit over HTTP": Scenario(_A, lambda world: world.add("a.md", CONTENTS["four-edited"])),
    "upload of the same over HTTP": Scenario(_A, lambda world: world.add("a.md", CONTENTS["four"])),
    "upload of a lost event over HTTP": Scenario(
        _losing(*_EVENTS, act=_A), lambda world: world.add("a.md", CONTENTS["four"])
    ),
    "delete over HTTP": Scenario(_A, lambda world: world.take_away("a.md")),
    "callback": Scenario(_A, _scheduled(_give(("a.md", "last-three")), World.janitor)),
    "callback before the lane": Scenario(_losing(*_JOBS, act=_A), _scheduled(_give(("a.md", "headed")), World.janitor)),
    "another callback": Scenario(
        _then(_A, _give(("a.md", "last-three"))), _scheduled(_give(("a.md", "headed")), World.janitor)
    ),
    "callback with a bad text": Scenario(_A, _scheduled(_give(("a.md", "short")), World.janitor)),
    "callback about a failure": Scenario(_losing(*_JOBS, act=_A), lambda world: world.say_unreadable("a.md")),
    "edit after a callback": Scenario(
        _then(_A, _give(("a.md", "last-three"))), _scheduled(_put(("a.md", "four-edited")), World.janitor)
    ),
    "delete after a callback": Scenario(
        _then(_A, _give(("a.md", "last-three"))), _scheduled(_delete("a.md"), World.janitor)
    ),
    "reindex after a callback": Scenario(
        _then(_put(("a.md", "four"), ("b.md", "four")), _give(("a.md", "last-three"))), World.reindex
    ),
    "upload after delete": Scenario(_then(_A, _delete("a.md")), _put(("a.md", "four-edited"))),
    "rename": Scenario(_A, _rename),
    "poison": Scenario(_A, _put(("a.md", "poison"))),
    "dead letter of the queue": Scenario(_losing(*_JOBS, act=_A), _give_up("a.md")),
    "undelivered job": Scenario(_losing(*_JOBS, act=_A), lambda world: world.give_up("a.md")),
    "retry": Scenario(_then(_losing(*_JOBS, act=_A), _give_up("a.md")), lambda world: world.retry("a.md")),
    "replay": Scenario(_then(_losing(*_JOBS, act=_A), _give_up("a.md")), World.replay),
    "reconcile and repair": Scenario(_DAMAGED, _scheduled(World.reconcile, World.reconcile)),
    "janitor": Scenario(_DAMAGED, _scheduled(World.janitor, World.janitor)),
    "reindex": Scenario(
        _then(_put(("a.md", "four"), ("b.md", "four"), ("c.txt", "one")), _put(("b.md", "one"))),
        _reindex_in_use,
    ),
    "backfill": Scenario(
        _losing(*_EVENTS, act=_put(("a.md", "four"), ("b.md", "one"), ("d.json", "json"))),
        _scheduled(World.backfill, World.janitor),
    ),
}
"""By name."""
