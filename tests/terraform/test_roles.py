"""The one who deploys has every permission that each kind of resource needs, and no role without use.

The permissions are those that Terraform's provider calls need to make, read, change and destroy the resource
(cloud.google.com/iam/docs/permissions-reference); the roles are those of cloud.google.com/iam/docs/understanding-roles,
with only such permissions as the table asks for.
"""

from __future__ import annotations

import re

from tests.terraform.configured import ROOT

CRUD = ("create", "get", "update", "delete")
POLICY = ("getIamPolicy", "setIamPolicy")
ACT_AS = {"iam.serviceAccounts.actAs"}


def on(kind: str, *verbs: str) -> set[str]:
    return {f"{kind}.{verb}" for verb in verbs}


NEEDED: dict[str, set[str]] = {
    "google_artifact_registry_repository": on("artifactregistry.repositories", *CRUD),
    "google_billing_budget": on("billing.budgets", *CRUD),
    "google_cloud_run_v2_service_iam_member": on("run.services", *POLICY),
    "google_cloud_scheduler_job": on("cloudscheduler.jobs", *CRUD, "pause", "enable") | ACT_AS,
    "google_cloudfunctions2_function": on("cloudfunctions.functions", *CRUD)
    | {"cloudfunctions.operations.get"}
    | ACT_AS,
    "google_compute_address": on(
        "compute.addresses", "create", "createInternal", "deleteInternal", "get", "delete", "use"
    ),
    "google_compute_disk": on("compute.disks", *CRUD, "createSnapshot", "resize", "setLabels", "use")
    | {"compute.snapshots.create"},
    "google_compute_disk_resource_policy_attachment": on(
        "compute.disks", "addResourcePolicies", "removeResourcePolicies"
    )
    | {"compute.resourcePolicies.use"},
    "google_compute_firewall": on("compute.firewalls", *CRUD) | {"compute.networks.updatePolicy"},
    "google_compute_instance": on("compute.instances", *CRUD, "attachDisk", "detachDisk", "setLabels", "setMachineType")
    | on("compute.instances", "setMetadata", "setServiceAccount", "start", "stop")
    | {"compute.subnetworks.use"}
    | ACT_AS,
    "google_compute_network": on("compute.networks", *CRUD),
    "google_compute_resource_policy": on("compute.resourcePolicies", *CRUD),
    "google_compute_subnetwork": on("compute.subnetworks", *CRUD, "setPrivateIpGoogleAccess"),
    "google_firestore_backup_schedule": on("datastore.backupSchedules", *CRUD),
    "google_firestore_database": on("datastore.databases", "create", "getMetadata", "update", "delete"),
    "google_firestore_field": on("datastore.indexes", "get", "update") | {"datastore.operations.get"},
    "google_firestore_index": on("datastore.indexes", *CRUD) | {"datastore.operations.get"},
    "google_iap_tunnel_instance_iam_member": on("iap.tunnelInstances", *POLICY),
    "google_kms_crypto_key_iam_member": on("cloudkms.cryptoKeys", *POLICY),
    "google_logging_metric": on("logging.logMetrics", *CRUD),
    "google_monitoring_alert_policy": on("monitoring.alertPolicies", *CRUD),
    "google_monitoring_dashboard": on("monitoring.dashboards", *CRUD),
    "google_monitoring_notification_channel": on("monitoring.notificationChannels", *CRUD),
    "google_monitoring_uptime_check_config": on("monitoring.uptimeCheckConfigs", *CRUD),
    "google_project_iam_member": on("resourcemanager.projects", *POLICY),
    "google_project_service": on("serviceusage.services", "enable", "get", "list", "use"),
    "google_pubsub_subscription": on("pubsub.subscriptions", *CRUD) | {"pubsub.topics.attachSubscription"} | ACT_AS,
    "google_pubsub_subscription_iam_member": on("pubsub.subscriptions", *POLICY),
    "google_pubsub_topic": on("pubsub.topics", *CRUD),
    "google_pubsub_topic_iam_member": on("pubsub.topics", *POLICY),
    "google_secret_manager_secret": on("secretmanager.secrets", *CRUD) | {"secretmanager.versions.list"},
    "google_secret_manager_secret_iam_member": on("secretmanager.secrets", *POLICY),
    "google_service_account": on("iam.serviceAccounts", *CRUD),
    "google_service_account_iam_member": on("iam.serviceAccounts", *POLICY),
    "google_storage_bucket": on("storage.buckets", *CRUD) | on("storage.objects", "list", "delete"),
    "google_storage_bucket_iam_member": on("storage.buckets", *POLICY),
    "google_storage_bucket_object": on("storage.objects", "create", "get", "delete"),
    "google_storage_notification": on("storage.buckets", "get", "update"),
    "data.google_project": {"resourcemanager.projects.get"},
    "data.google_storage_project_service_account": {"resourcemanager.projects.get"},
}

GRANTED: dict[str, tuple[str, ...]] = {
    "roles/artifactregistry.admin": ("artifactregistry.repositories.",),
    "roles/cloudfunctions.admin": ("cloudfunctions.functions.", "cloudfunctions.operations.get"),
    "roles/cloudscheduler.admin": ("cloudscheduler.jobs.",),
    "roles/compute.admin": ("compute.",),
    "roles/datastore.backupSchedulesAdmin": ("datastore.backupSchedules.",),
    "roles/datastore.owner": ("datastore.databases.", "datastore.indexes.", "datastore.operations."),
    "roles/iam.serviceAccountAdmin": tuple(on("iam.serviceAccounts", *CRUD, *POLICY)),
    "roles/iam.serviceAccountUser": ("iam.serviceAccounts.actAs",),
    "roles/iap.admin": ("iap.tunnelInstances.",),
    "roles/logging.configWriter": ("logging.logMetrics.",),
    "roles/monitoring.editor": (
        "monitoring.alertPolicies.",
        "monitoring.dashboards.",
        "monitoring.notificationChannels.",
        "monitoring.uptimeCheckConfigs.",
    ),
    "roles/pubsub.admin": ("pubsub.subscriptions.", "pubsub.topics."),
    "roles/resourcemanager.projectIamAdmin": tuple(on("resourcemanager.projects", "get", *POLICY)),
    "roles/run.admin": ("run.services.",),
    "roles/secretmanager.admin": ("secretmanager.secrets.", "secretmanager.versions."),
    "roles/serviceusage.serviceUsageAdmin": ("serviceusage.services.",),
    "roles/storage.admin": ("storage.buckets.", "storage.objects."),
}
"""What each role has, as whole permissions or as their beginnings."""

ELSEWHERE = {"roles/billing.costsManager": ("billing.budgets.",), "roles/cloudkms.admin": ("cloudkms.cryptoKeys.",)}
"""Roles on the billing account (with a budget) and on the key (with kms_key): not on the project."""


def used() -> set[str]:
    """Every kind of resource that an environment can have. The identity of CI is made by an owner."""
    terraform = ROOT / "terraform"
    files = [*terraform.glob("*.tf"), *terraform.glob("modules/*/*.tf")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.parent.name != "ci")
    kinds = re.findall(r'^(resource|data) "(google_\w+)"', text, re.MULTILINE)
    return {name if what == "resource" else f"data.{name}" for what, name in kinds}


def roles_of_ci() -> set[str]:
    roles = (ROOT / "terraform" / "modules" / "ci" / "roles.tf").read_text(encoding="utf-8")
    return set(re.findall(r'"(roles/[\w.]+)"', roles))


def documented() -> set[str]:
    """The roles that docs/deploy.md asks for."""
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    section = text.partition("### Roles of the one who deploys")[2].partition("\n## ")[0]
    return set(re.findall(r"`(roles/[\w.]+)`", section))


def test_every_kind_of_resource_has_a_row() -> None:
    assert used() == set(NEEDED)


def test_the_roles_have_every_permission_that_a_resource_needs() -> None:
    beginnings = tuple(one for has in (*GRANTED.values(), *ELSEWHERE.values()) for one in has)
    missing = {kind: {one for one in needed if not one.startswith(beginnings)} for kind, needed in NEEDED.items()}
    assert {kind: lacking for kind, lacking in missing.items() if lacking} == {}


def test_no_role_is_without_use() -> None:
    needed = set().union(*NEEDED.values())
    for role, has in (GRANTED | ELSEWHERE).items():
        assert [one for one in needed if one.startswith(has)], role


def test_ci_has_these_roles() -> None:
    assert roles_of_ci() == set(GRANTED)


def test_the_guide_asks_for_these_roles() -> None:
    assert documented() == {*GRANTED, *ELSEWHERE}
