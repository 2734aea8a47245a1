"""Let Terraform take over a database or a disk that a way back has made, in place of the one before.

Terraform cannot rename either: with another name in the settings alone, it would destroy the one before and make an
empty one. So its state forgets the one before, which stays where it is, and the next deploy imports the new one.
Nothing changes in the project until then. The same command with the name before switches back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scripts.restoring.deployed import Deployed, Disk, Gcloud

MODULE = "module.ragbase"
DATABASE = f"{MODULE}.google_firestore_database.records"
INDEX = f"{MODULE}.google_firestore_index.query"
OF_THE_DATABASE = ("google_firestore_backup_schedule", "google_firestore_field", "google_firestore_index")
"""What a change of the database would destroy in the one before. A deploy makes backups and fields in the new one: the
setting of a field can be made twice, and a copied database has neither a schedule nor an expiry."""
DISK = f"{MODULE}.module.weaviate[0].google_compute_disk.data"


class State(Protocol):
    """Terraform's state of one environment."""

    def resources(self) -> Mapping[str, str]:
        """The id of each resource, by its address."""
        ...

    def learn(self, ids: Mapping[str, str]) -> None:
        """Let the next deploy import what has these ids, for addresses that the state does not have then."""
        ...

    def forget(self, addresses: Sequence[str]) -> None: ...


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an address is to stand for. None: nothing, so that the next deploy makes it."""

    address: str
    id: str | None


def switch_database(gcloud: Gcloud, deployed: Deployed, state: State, into: str, *, say: Callable[[str], None]) -> None:
    """Take over the database, and the indexes that it has. Can be repeated after an interruption."""
    place = f"projects/{deployed.project}/databases/{into}"
    listed = gcloud(
        *("firestore", "indexes", "composite", "list", f"--database={into}", "--format=json"),
        f"--project={deployed.project}",
    )
    found = {_fields_of(one): str(one["name"]) for one in json.loads(listed)}
    wanted = [_Wanted(DATABASE, place)]
    for name, fields in deployed.indexes.items():
        wanted.append(_Wanted(f'{INDEX}["{name}"]', found.get(_fields(fields))))
        if wanted[-1].id is None:
            say(f"{into} has no index {name}. The next deploy makes it.")
    known = {one.address for one in wanted}
    wanted += [_Wanted(one, None) for one in state.resources() if _is_of_the_database(one) and one not in known]
    _take(state, wanted, f"{place}/", say)


def switch_disk(deployed: Deployed, disk: Disk, state: State, into: str, *, say: Callable[[str], None]) -> None:
    """Take over the disk. Can be repeated after an interruption."""
    place = f"projects/{deployed.project}/zones/{disk.zone}/disks/{into}"
    _take(state, [_Wanted(DISK, place)], place, say)


def _take(state: State, wanted: Sequence[_Wanted], place: str, say: Callable[[str], None]) -> None:
    """In two steps. After an interruption between them, the same command goes on: the first can be repeated."""
    before = state.resources()
    new = {one.address: one.id for one in wanted if one.id is not None and before.get(one.address) != one.id}
    gone = [one.address for one in wanted if one.id is None and not before.get(one.address, place).startswith(place)]
    for address, id in new.items():
        say(f"The next deploy imports {id} as {address}.")
    state.learn(new)
    forgotten = [address for address in (*new, *gone) if address in before]
    if forgotten:
        say(f"Terraform forgets {len(forgotten)} resources. They stay where they are.")
        state.forget(forgotten)


def _is_of_the_database(address: str) -> bool:
    return address.removeprefix(f"{MODULE}.").partition(".")[0] in OF_THE_DATABASE


def _fields(wanted: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The fields of an index as Terraform's settings have them: `created_at DESCENDING`, or a name alone."""
    return _with_name(
        [(one.split(" ")[0], "DESCENDING" if one.endswith(" DESCENDING") else "ASCENDING") for one in wanted]
    )


def _fields_of(index: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The fields of an index as Firestore lists it."""
    return _with_name(list(_ordered(index["fields"])))


def _ordered(fields: Sequence[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for one in fields:
        yield one["fieldPath"], one.get("order", "")


def _with_name(fields: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """If __name__ is missing, Firestore adds it in the order of the last field."""
    if fields and fields[-1][0] != "__name__":
        fields.append(("__name__", fields[-1][1]))
    return tuple(fields)
