"""Terraform, functions/ and the package agree, in dev and in prod. So the code gets what it needs where it runs."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.adapters.google import audit_log, checkpoints, dead_letters
from ragbase.adapters.google import document_store as firestore
from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.interfaces.http.sources import SLICES
from ragbase.settings import SOURCES_FILE, Config, variable_of
from ragbase.sources.sources_file import ScheduledSource, read_sources_file
from scripts.local_cloud import provision, wiring
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import FUNCTIONS, ROOT, Resource, copied, of_type, planned, services

pytestmark = pytest.mark.prove

FRAMEWORK = {"THREADS", "LOG_EXECUTION_ID"}
"""The variables that functions-framework reads."""
PORTS = {
    "google-cloud-storage": "bucket",
    "google-cloud-pubsub": "publisher",
    "google-cloud-firestore": "documents",
    "cohere": "embedder",
}
"""The port that a function opens with each client. These clients connect only at the first call."""
WEAVIATE = "weaviate-client"
DIGEST = f"sha256:{'1' * 64}"
SECRETS = {WEAVIATE: "weaviate_api_key", "cohere": "cohere_api_key"}


def described(prepared: Path) -> Sequence[Resource]:
    """The resources of dev with two scheduled sources, and an image by its digest."""
    sources = {
        "a-1": {"address": 's3://docs/"é"', "prefix": "docs/a", "delete": True, "force": True, "every_minutes": 5},
        "b": {"address": "https://docs.example.com/?a=<1>&b=\\"},
    }
    with copied(prepared) as copy:
        place = copy / "envs" / "dev"
        (place / "sources.auto.tfvars.json").write_text(json.dumps({"sources": sources}), encoding="utf-8")
        (place / "image.auto.tfvars.json").write_text(json.dumps({"weaviate_digest": DIGEST}), encoding="utf-8")
        return planned(place)


def secrets_of(service: Mapping[str, Any]) -> dict[str, str]:
    return {one["key"]: one["secret"] for one in service["secret_environment_variables"]}


def environment_of(service: Mapping[str, Any]) -> dict[str, str]:
    """The environment variables of the function. Each secret gets a value."""
    return {**service["environment_variables"], **dict.fromkeys(secrets_of(service), "a secret")}


def unknown_settings(resources: Sequence[Resource]) -> set[str]:
    """The environment variables of the functions that nothing reads."""
    known = {variable_of(name) for name in Config.model_fields} | {
        f"RAGBASE_{name.upper()}" for name in Config.model_fields
    }
    given = {variable for service in services(resources).values() for variable in environment_of(service)}
    return given - known - FRAMEWORK


def installed(name: str) -> set[str]:
    """The client libraries that a function installs."""
    lock = (ROOT / "requirements" / "functions" / f"{name}.txt").read_text(encoding="utf-8")
    return {client for client in (*PORTS, WEAVIATE) if re.search(rf"^{client}==", lock, re.MULTILINE)}


def test_every_function_is_deployed_under_its_name(resources: Sequence[Resource]) -> None:
    assert sorted(services(resources)) == sorted(FUNCTIONS)
    for name in FUNCTIONS:
        main = ast.parse((ROOT / "functions" / name / "main.py").read_text(encoding="utf-8"))
        assert name in {node.name for node in main.body if isinstance(node, ast.FunctionDef)}


def test_no_function_gets_a_setting_that_nothing_reads(resources: Sequence[Resource]) -> None:
    assert unknown_settings(resources) == set()


def test_every_function_has_the_settings_that_it_needs(resources: Sequence[Resource], tmp_path: Path) -> None:
    for name, service in services(resources).items():
        config = load_config(home=tmp_path, environment=environment_of(service))
        assert config.profile == "gcp"
        for setting in ("project", "bucket", "firestore_database", "fast_topic", "heavy_topic", "dead_letter_topic"):
            assert config.origin(setting) != "default", (name, setting)
        profile = open_profile(config)
        for client in installed(name) & set(PORTS):
            assert getattr(profile, PORTS[client]) is not None, (name, client)
        profile.close()
        assert bool(config.weaviate_url) is (WEAVIATE in installed(name)), name


def test_a_function_has_the_secrets_of_the_clients_that_it_installs(resources: Sequence[Resource]) -> None:
    for name, service in services(resources).items():
        wanted = {variable_of(SECRETS[client]) for client in installed(name) & set(SECRETS)}
        assert set(secrets_of(service)) == wanted, name


def test_a_function_may_use_the_clients_that_it_installs(resources: Sequence[Resource]) -> None:
    grants = {
        "google-cloud-storage": {one["member"] for one in of_type(resources, "google_storage_bucket_iam_member")},
        "google-cloud-pubsub": {one["member"] for one in of_type(resources, "google_pubsub_topic_iam_member")},
        "google-cloud-firestore": {
            one["member"]
            for one in of_type(resources, "google_project_iam_member")
            if one["role"] == "roles/datastore.user"
        },
    }
    for name, service in services(resources).items():
        for client in installed(name) & set(grants):
            assert f"serviceAccount:{service['service_account_email']}" in grants[client], (name, client)


def test_a_function_may_read_its_secrets(resources: Sequence[Resource]) -> None:
    readers = {
        (one["secret_id"], one["member"]) for one in of_type(resources, "google_secret_manager_secret_iam_member")
    }
    for name, service in services(resources).items():
        for secret in secrets_of(service).values():
            assert (secret, f"serviceAccount:{service['service_account_email']}") in readers, name


def test_the_state_has_no_value_of_a_secret(resources: Sequence[Resource]) -> None:
    assert of_type(resources, "google_secret_manager_secret_version") == []


def test_topics_are_those_of_the_settings_and_of_the_local_cloud(resources: Sequence[Resource], tmp_path: Path) -> None:
    topics = {one["name"] for one in of_type(resources, "google_pubsub_topic")}
    default = load_config(home=tmp_path, environment={})
    for service in services(resources).values():
        config = load_config(home=tmp_path, environment=environment_of(service))
        for setting in ("fast_topic", "heavy_topic", "dead_letter_topic"):
            assert getattr(config, setting) == getattr(default, setting)
            assert getattr(config, setting) in topics
    assert wiring.UPLOADS in topics


def test_messages_are_delivered_as_in_the_local_cloud(resources: Sequence[Resource]) -> None:
    pushes = [one for one in of_type(resources, "google_pubsub_subscription") if one["push_config"]]
    assert len(pushes) == 4
    for push in pushes:
        policy = push["retry_policy"][0]
        assert policy["minimum_backoff"] == f"{wiring.BACKOFF[0]}s"
        assert policy["maximum_backoff"] == f"{wiring.BACKOFF[1]}s"
        assert push["dead_letter_policy"][0]["max_delivery_attempts"] == provision.MAX_DELIVERIES


def test_every_subscription_has_a_dead_letter_and_its_grants(resources: Sequence[Resource]) -> None:
    published = {(one["topic"], one["member"]) for one in of_type(resources, "google_pubsub_topic_iam_member")}
    taken = {
        (one["subscription"], one["member"]) for one in of_type(resources, "google_pubsub_subscription_iam_member")
    }
    for push in of_type(resources, "google_pubsub_subscription"):
        if not push["push_config"]:
            continue
        topic = push["dead_letter_policy"][0]["dead_letter_topic"].rpartition("/")[2]
        assert any(name == topic and "gcp-sa-pubsub" in member for name, member in published)
        assert any(name == push["name"] and "gcp-sa-pubsub" in member for name, member in taken)


def test_a_message_is_not_delivered_again_while_a_function_works_on_it(resources: Sequence[Resource]) -> None:
    time_outs = {service["uri"]: service["timeout_seconds"] for service in services(resources).values()}
    for push in of_type(resources, "google_pubsub_subscription"):
        if push["push_config"]:
            assert push["ack_deadline_seconds"] >= time_outs[push["push_config"][0]["push_endpoint"]]


def test_every_query_has_its_index(resources: Sequence[Resource]) -> None:
    indexes = {
        tuple((field["field_path"], field["order"]) for field in one["fields"])
        for one in of_type(resources, "google_firestore_index")
    }
    assert indexes == set(firestore.COMPOSITE_INDEXES)


def test_no_index_of_a_record_begins_with_what_only_grows(resources: Sequence[Resource]) -> None:
    """Firestore writes 500 records a second to one end of an index."""
    growing = {"created_at", "updated_at", "changed_at", "expires_at"}
    unindexed = {
        one["field"]
        for one in of_type(resources, "google_firestore_field")
        if one["collection"] == "documents" and not one["index_config"][0]["indexes"]
    }
    assert unindexed == {*firestore.UNINDEXED, "expires_at"} >= growing
    for index in firestore.COMPOSITE_INDEXES:
        fields = [field for field, _ in index]
        assert fields[0] == "shard" or not growing & set(fields)


def test_the_code_writes_every_field_that_the_database_knows(resources: Sequence[Resource]) -> None:
    sources = {
        "documents": inspect.getsource(firestore),
        "dead_letters": inspect.getsource(dead_letters),
        "checkpoints": inspect.getsource(checkpoints),
        "audit": inspect.getsource(audit_log),
        "audit_chains": inspect.getsource(audit_log),
    }
    names = {"record": "RECORD"}
    fields = [(one["collection"], one["field"]) for one in of_type(resources, "google_firestore_field")]
    fields += [
        (one["collection"], field["field_path"])
        for one in of_type(resources, "google_firestore_index")
        for field in one["fields"]
        if field["field_path"] != "__name__"
    ]
    for collection, field in fields:
        assert f'"{collection}"' in sources[collection]
        assert names.get(field, f'"{field}"') in sources[collection], (collection, field)
    assert firestore.RECORD == "record"


def test_the_code_logs_every_action_that_is_counted(resources: Sequence[Resource]) -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "common" / "ragbase").rglob("*.py")))
    counted = {
        action
        for metric in of_type(resources, "google_logging_metric")
        for action in re.findall(r'"([a-z_]+(?:\.[a-z_]+)?)"', metric["filter"].partition("jsonPayload.action=")[2])
    }
    assert len(counted) >= 6
    for action in counted:
        assert f'"{action}"' in code, action


def test_the_sources_stop_in_time_and_find_their_file(resources: Sequence[Resource], tmp_path: Path) -> None:
    service = services(resources)["sources"]
    assert timedelta(seconds=service["timeout_seconds"], minutes=-5) >= SLICES
    (file,) = [one for one in of_type(resources, "google_storage_bucket_object") if one["name"] == SOURCES_FILE]
    config = load_config(home=tmp_path, environment=environment_of(service))
    assert file["bucket"] == config.sources_bucket


@looks_at(Job(described, seconds=4))
def test_a_source_of_terraform_is_a_source_of_the_function(result: Sequence[Resource]) -> None:
    (file,) = [one for one in of_type(result, "google_storage_bucket_object") if one["name"] == SOURCES_FILE]
    assert read_sources_file(file["content"], SOURCES_FILE, schemes=["s3", "https"], folders=False) == [
        ScheduledSource("a-1", 's3://docs/"é"', root="docs/a/", delete=True, force=True, every=timedelta(minutes=5)),
        ScheduledSource("b", "https://docs.example.com/?a=<1>&b=\\"),
    ]


@looks_at(Job(described, seconds=4))
def test_an_environment_takes_the_image_of_its_digest(result: Sequence[Resource]) -> None:
    (vm,) = of_type(result, "google_compute_instance")
    assert f"weaviate:1.39.0@{DIGEST} " in vm["metadata"]["user-data"]


def test_the_database_and_the_bucket_are_those_of_the_settings(resources: Sequence[Resource], tmp_path: Path) -> None:
    (database,) = of_type(resources, "google_firestore_database")
    buckets = {one["name"] for one in of_type(resources, "google_storage_bucket")}
    for service in services(resources).values():
        config = load_config(home=tmp_path, environment=environment_of(service))
        assert config.firestore_database == database["name"]
        assert config.bucket in buckets
