"""Terraform's state takes over what a way back has made, and forgets only what was there before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from scripts.restoring.deployed import Deployed, Disk
from scripts.restoring.switch import DATABASE, DISK, INDEX, switch_database, switch_disk
from tests.unit.scripts.restoring.gcloud import Recorded

INDEXES = {"newest": ["shard", "created_at DESCENDING", "__name__"], "waiting": ["shard", "updated_at"]}
FIELD = 'module.ragbase.google_firestore_field.unindexed["documents/record"]'
BACKUPS = "module.ragbase.google_firestore_backup_schedule.daily[0]"
BUCKET = "module.ragbase.google_storage_bucket.documents"


def place(database: str) -> str:
    return f"projects/p/databases/{database}"


def index(database: str, number: int) -> str:
    return f"{place(database)}/collectionGroups/documents/indexes/{number}"


def before() -> dict[str, str]:
    return {
        DATABASE: place("ragbase"),
        f'{INDEX}["newest"]': index("ragbase", 1),
        f'{INDEX}["waiting"]': index("ragbase", 2),
        FIELD: f"{place('ragbase')}/collectionGroups/documents/fields/record",
        BACKUPS: f"{place('ragbase')}/backupSchedules/daily",
        BUCKET: "p-ragbase",
    }


class Terraform:
    """A state in memory. It breaks after some steps, as a network does."""

    def __init__(self, known: dict[str, str], steps: int = 1000) -> None:
        self.known = known
        self.imports: Mapping[str, str] = {}
        self.steps = steps

    def resources(self) -> Mapping[str, str]:
        return dict(self.known)

    def learn(self, ids: Mapping[str, str]) -> None:
        self._step()
        self.imports = ids

    def forget(self, addresses: Sequence[str]) -> None:
        self._step()
        for address in addresses:
            del self.known[address]

    def deploy(self) -> dict[str, str]:
        """Terraform imports only for addresses that it does not know."""
        self.known = {**self.imports, **self.known}
        return self.known

    def _step(self) -> None:
        if self.steps == 0:
            raise ConnectionError
        self.steps -= 1


def fields(*named: str) -> list[dict[str, str]]:
    return [{"fieldPath": one.split()[0], "order": one.split()[1]} for one in named]


def google(database: str) -> Recorded:
    """Firestore lists the indexes of the database in an order of its own."""
    listed = [
        {"name": index(database, 9), "fields": fields("shard ASCENDING", "updated_at ASCENDING", "__name__ ASCENDING")},
        {
            "name": index(database, 8),
            "fields": fields("shard ASCENDING", "created_at DESCENDING", "__name__ ASCENDING"),
        },
    ]
    return Recorded({"firestore indexes composite list": listed})


def switched(state: Terraform, database: str) -> dict[str, str]:
    deployed = Deployed("p", "b", "ragbase", indexes=INDEXES)
    switch_database(google(database), deployed, state, database, say=lambda _: None)
    return state.deploy()


AFTER = {
    DATABASE: place("ragbase-2"),
    f'{INDEX}["newest"]': index("ragbase-2", 8),
    f'{INDEX}["waiting"]': index("ragbase-2", 9),
    BUCKET: "p-ragbase",
}


def test_the_state_has_the_new_database_with_its_indexes_and_no_more_of_the_one_before() -> None:
    assert switched(Terraform(before()), "ragbase-2") == AFTER


@pytest.mark.parametrize("steps", range(2))
def test_the_same_command_goes_on_after_an_interruption(steps: int) -> None:
    state = Terraform(before(), steps)
    with pytest.raises(ConnectionError):
        switched(state, "ragbase-2")
    state.steps = 1000
    assert switched(state, "ragbase-2") == AFTER


def test_a_second_time_nothing_changes_and_what_a_deploy_has_made_stays() -> None:
    made = {**AFTER, FIELD: f"{place('ragbase-2')}/collectionGroups/documents/fields/record"}
    state = Terraform(dict(made), steps=1)
    assert switched(state, "ragbase-2") == made
    assert not state.imports


def test_an_index_that_the_database_does_not_have_is_left_to_the_next_deploy() -> None:
    state = Terraform(before())
    heard: list[str] = []
    deployed = Deployed("p", "b", "ragbase", indexes={**INDEXES, "newer": ["tenant"]})
    switch_database(google("ragbase-2"), deployed, state, "ragbase-2", say=heard.append)
    assert f'{INDEX}["newer"]' not in state.deploy()
    assert "ragbase-2 has no index newer. The next deploy makes it." in heard


def test_the_way_back_is_the_same_command() -> None:
    state = Terraform(before())
    switched(state, "ragbase-2")
    state.known[FIELD] = f"{place('ragbase-2')}/collectionGroups/documents/fields/record"
    known = switched(state, "ragbase")
    assert known[DATABASE] == place("ragbase")
    assert FIELD not in known


def test_the_state_has_the_new_disk() -> None:
    zone = "projects/p/zones/z/disks"
    state = Terraform({DISK: f"{zone}/data", BUCKET: "p-ragbase"})
    switch_disk(Deployed("p", "b", "ragbase"), Disk("data", "vm", "z", 10), state, "data-2", say=lambda _: None)
    assert state.deploy() == {DISK: f"{zone}/data-2", BUCKET: "p-ragbase"}
