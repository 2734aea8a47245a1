"""Each function's account has what its code calls, and no more: the grants of Terraform are compared with the calls of
ports that the real functions make (tests/functions/journeys.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.clock import VirtualClock
from tests.functions.journeys import JOURNEYS, janitor
from tests.functions.used_rights import World, needed
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import FUNCTIONS, ROOT, Resource, applied, of_type, services

pytestmark = pytest.mark.slow

_BUCKET = {"roles/storage.objectViewer": "read", "roles/storage.objectUser": "write"}
_SECRETS = {
    "ragbase-cohere-api-key": "cohere",
    "ragbase-weaviate-api-key": "weaviate",
    "ragbase-password-hash": "password",
}
_CLIENTS = {
    "google-cloud-storage": {
        "read documents",
        "write documents",
        "read texts",
        "write texts",
        "read sources",
        "write audit",
        "sign",
    },
    "google-cloud-pubsub": {"publish to fast-lane", "publish to heavy-lane", "publish to dead-letter"},
    "google-cloud-firestore": {"records"},
    "weaviate-client": {"weaviate"},
    "cohere": {"cohere"},
}
"""The rights that are used through each client library."""


def grants(resources: Sequence[Resource], member: str) -> set[str]:
    """What an account may do, in the words of `right`. Raises for a grant that nobody has judged yet."""
    granted = [one for one in resources if one.type.endswith("_iam_member") and one.values["member"] == member]
    return {_right(one.type, one.values) for one in granted}


def _right(type: str, values: Mapping[str, Any]) -> str:
    match type, values["role"]:
        case "google_project_iam_member", "roles/datastore.user":
            return "records"
        case "google_project_iam_member", "roles/aiplatform.user":
            return "vertex"
        case "google_storage_bucket_iam_member", role:
            kind = re.search("-(texts|sources|audit)$", values["bucket"])
            return f"{_BUCKET[role]} {kind[1] if kind else 'documents'}"
        case "google_pubsub_topic_iam_member", "roles/pubsub.publisher":
            return f"publish to {values['topic'].removeprefix('ragbase-')}"
        case "google_secret_manager_secret_iam_member", "roles/secretmanager.secretAccessor":
            return _SECRETS[values["secret_id"]]
        case "google_service_account_iam_member", "roles/iam.serviceAccountTokenCreator":
            return "sign"
    raise AssertionError((type, values))


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """The rights that each function has used."""
    found = {}
    for name, journey in JOURNEYS.items():
        with pytest.MonkeyPatch.context() as variables:
            world = World(tmp_path_factory.mktemp(name) / "home", variables)
            found[name] = needed(journey(world))
            world.close()
    return found


def test_every_function_has_a_journey() -> None:
    assert sorted(JOURNEYS) == sorted(FUNCTIONS)


def test_a_function_may_do_what_it_does_and_no_more(
    resources: Sequence[Resource], used: Mapping[str, set[str]]
) -> None:
    accounts = services(resources)
    for name in FUNCTIONS:
        account = accounts[name]
        assert grants(resources, f"serviceAccount:{account['service_account_email']}") == used[name], name
        assert bool(account["direct_vpc_network_interface"]) is ("weaviate" in used[name]), name


VERTEX = {"settings": {"embedder": "vertex", "generator": "vertex", "chat_model": "gemini-3.5-flash-lite"}}


@looks_at(Job(applied, ("dev", json.dumps(VERTEX)), seconds=5))
def test_with_vertex_ai_those_that_embed_may_ask_it_and_there_is_nothing_of_a_vendor(
    result: Sequence[Resource], used: Mapping[str, set[str]]
) -> None:
    for name, service in services(result).items():
        allowed = {"vertex" if right == "cohere" else right for right in used[name]}
        assert grants(result, f"serviceAccount:{service['service_account_email']}") == allowed, name
    described = json.dumps([one.values for one in result], default=str).lower()
    for vendor in ("cohere", "openai", "anthropic", "co_api_key"):
        assert vendor not in described
    assert {one["secret_id"] for one in of_type(result, "google_secret_manager_secret")} == {
        "ragbase-password-hash",
        "ragbase-weaviate-api-key",
    }


def _exports(folder: Path, variables: pytest.MonkeyPatch) -> set[str]:
    """What the janitor uses if it exports the audit log."""
    exports = MemoryBucket("exports", lambda _: None, VirtualClock())
    variables.setattr(EmbeddedProfile, "audit_exports", property(lambda _: exports))
    world = World(folder / "home", variables)
    used = needed(janitor(world, late=timedelta(days=2)))
    world.close()
    assert list(exports.list())
    return used


@looks_at(Job(applied, ("dev", '{"audit_retention": {"days": 400}}'), seconds=5))
def test_the_janitor_may_export_the_audit_log(
    result: Sequence[Resource], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = services(result)["janitor"]["service_account_email"]
    assert grants(result, f"serviceAccount:{account}") == _exports(tmp_path, monkeypatch)


def test_a_function_installs_the_clients_of_what_it_does_and_no_other(used: Mapping[str, set[str]]) -> None:
    for name in FUNCTIONS:
        lock = Path(ROOT / "requirements" / "functions" / f"{name}.txt").read_text(encoding="utf-8")
        installed = {client for client in _CLIENTS if re.search(rf"^{client}==", lock, re.MULTILINE)}
        assert installed == {client for client, rights in _CLIENTS.items() if rights & used[name]}, name
