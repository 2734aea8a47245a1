"""The one who deploys has every permission that each kind of resource needs, and no role without use.

That the roles have these permissions was looked up (GRANTED). That a kind of resource needs these and no other could
not be: the rows follow the calls of Terraform's provider, and Google names a permission as it names the call. Only a
deployment under these roles proves it (docs/deploy.md, What is checked).
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
    "google_compute_backend_service": on("compute.backendServices", *CRUD, "setSecurityPolicy", "use")
    | {"compute.regionNetworkEndpointGroups.use", "compute.securityPolicies.use"},
    "google_compute_disk": on("compute.disks", *CRUD, "createSnapshot", "resize", "setLabels", "use")
    | {"compute.snapshots.create"},
    "google_compute_disk_resource_policy_attachment": on(
        "compute.disks", "addResourcePolicies", "removeResourcePolicies"
    )
    | {"compute.resourcePolicies.use"},
    "google_compute_firewall": on("compute.firewalls", *CRUD) | {"compute.networks.updatePolicy"},
    "google_compute_global_address": on("compute.globalAddresses", "create", "get", "delete", "use"),
    "google_compute_global_forwarding_rule": on("compute.globalForwardingRules", *CRUD)
    | {"compute.targetHttpProxies.use", "compute.targetHttpsProxies.use"},
    "google_compute_instance": on("compute.instances", *CRUD, "attachDisk", "detachDisk", "setLabels", "setMachineType")
    | on("compute.instances", "setMetadata", "setServiceAccount", "start", "stop")
    | {"compute.subnetworks.use"}
    | ACT_AS,
    "google_compute_managed_ssl_certificate": on("compute.sslCertificates", "create", "get", "delete"),
    "google_compute_network": on("compute.networks", *CRUD),
    "google_compute_region_network_endpoint_group": on(
        "compute.regionNetworkEndpointGroups", "create", "get", "delete"
    ),
    "google_compute_resource_policy": on("compute.resourcePolicies", *CRUD),
    "google_compute_security_policy": on("compute.securityPolicies", *CRUD),
    "google_compute_ssl_policy": on("compute.sslPolicies", *CRUD),
    "google_compute_subnetwork": on("compute.subnetworks", *CRUD, "setPrivateIpGoogleAccess"),
    "google_compute_target_http_proxy": on("compute.targetHttpProxies", *CRUD, "setUrlMap") | {"compute.urlMaps.use"},
    "google_compute_target_https_proxy": on(
        "compute.targetHttpsProxies", *CRUD, "setSslCertificates", "setSslPolicy", "setUrlMap"
    )
    | {"compute.urlMaps.use", "compute.sslCertificates.get", "compute.sslPolicies.use"},
    "google_compute_url_map": on("compute.urlMaps", *CRUD) | {"compute.backendServices.use"},
    "google_firestore_backup_schedule": on("datastore.backupSchedules", *CRUD),
    "google_firestore_database": on("datastore.databases", "create", "getMetadata", "update", "delete"),
    "google_firestore_field": on("datastore.indexes", "get", "update") | {"datastore.operations.get"},
    "google_firestore_index": on("datastore.indexes", *CRUD) | {"datastore.operations.get"},
    "google_iap_tunnel_instance_iam_member": on("iap.tunnelInstances", *POLICY),
    "google_iap_web_backend_service_iam_member": on("iap.webServices", *POLICY),
    "google_kms_crypto_key_iam_member": on("cloudkms.cryptoKeys", *POLICY),
    "google_logging_metric": on("logging.logMetrics", *CRUD),
    "google_monitoring_alert_policy": on("monitoring.alertPolicies", *CRUD),
    "google_monitoring_dashboard": on("monitoring.dashboards", *CRUD),
    "google_monitoring_notification_channel": on("monitoring.notificationChannels", *CRUD),
    "google_monitoring_uptime_check_config": on("monitoring.uptimeCheckConfigs", *CRUD),
    "google_project_iam_audit_config": on("resourcemanager.projects", *POLICY),
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

GRANTED: dict[str, set[str]] = {
    "roles/artifactregistry.admin": on("artifactregistry.repositories", *CRUD),
    "roles/cloudfunctions.admin": on("cloudfunctions.functions", *CRUD) | {"cloudfunctions.operations.get"},
    "roles/cloudscheduler.admin": on("cloudscheduler.jobs", *CRUD, "pause", "enable"),
    "roles/compute.admin": on("compute.addresses", "create", "createInternal", "deleteInternal", "get", "delete", "use")
    | on("compute.backendServices", *CRUD, "setSecurityPolicy", "use")
    | on("compute.disks", *CRUD, "createSnapshot", "resize", "setLabels", "use")
    | on("compute.disks", "addResourcePolicies", "removeResourcePolicies")
    | on("compute.firewalls", *CRUD)
    | on("compute.globalAddresses", "create", "get", "delete", "use")
    | on("compute.globalForwardingRules", *CRUD)
    | on("compute.instances", *CRUD, "attachDisk", "detachDisk", "setLabels", "setMachineType", "setMetadata")
    | on("compute.instances", "setServiceAccount", "start", "stop")
    | on("compute.networks", *CRUD, "updatePolicy")
    | on("compute.regionNetworkEndpointGroups", "create", "get", "delete", "use")
    | on("compute.resourcePolicies", *CRUD, "use")
    | on("compute.securityPolicies", *CRUD, "use")
    | {"compute.snapshots.create"}
    | on("compute.sslCertificates", "create", "get", "delete")
    | on("compute.sslPolicies", *CRUD, "use")
    | on("compute.subnetworks", *CRUD, "setPrivateIpGoogleAccess", "use")
    | on("compute.targetHttpProxies", *CRUD, "setUrlMap", "use")
    | on("compute.targetHttpsProxies", *CRUD, "setSslCertificates", "setSslPolicy", "setUrlMap", "use")
    | on("compute.urlMaps", *CRUD, "use"),
    "roles/datastore.backupSchedulesAdmin": on("datastore.backupSchedules", *CRUD),
    "roles/datastore.owner": on("datastore.databases", "create", "getMetadata", "update", "delete")
    | on("datastore.indexes", *CRUD)
    | {"datastore.operations.get"},
    "roles/iam.serviceAccountAdmin": on("iam.serviceAccounts", *CRUD, *POLICY),
    "roles/iam.serviceAccountUser": ACT_AS,
    "roles/iap.admin": on("iap.tunnelInstances", *POLICY) | on("iap.webServices", *POLICY),
    "roles/logging.configWriter": on("logging.logMetrics", *CRUD),
    "roles/monitoring.editor": on("monitoring.alertPolicies", *CRUD)
    | on("monitoring.dashboards", *CRUD)
    | on("monitoring.notificationChannels", *CRUD)
    | on("monitoring.uptimeCheckConfigs", *CRUD),
    "roles/pubsub.admin": on("pubsub.subscriptions", *CRUD, *POLICY)
    | on("pubsub.topics", *CRUD, *POLICY, "attachSubscription"),
    "roles/resourcemanager.projectIamAdmin": on("resourcemanager.projects", "get", *POLICY),
    "roles/run.admin": on("run.services", *POLICY),
    "roles/secretmanager.admin": on("secretmanager.secrets", *CRUD, *POLICY) | {"secretmanager.versions.list"},
    "roles/serviceusage.serviceUsageAdmin": on("serviceusage.services", "enable", "get", "list", "use"),
    "roles/storage.admin": on("storage.buckets", *CRUD, *POLICY)
    | on("storage.objects", "create", "get", "list", "delete"),
}
"""What each role has of that. Each permission was looked up in a copy of the roles as Google's API gives them
(github.com/iann0036/iam-dataset, gcp/roles, in November 2026), so a misspelt one is missing here."""

ELSEWHERE = {
    "roles/billing.costsManager": on("billing.budgets", *CRUD),
    "roles/cloudkms.admin": on("cloudkms.cryptoKeys", *POLICY),
}
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
    """The roles that docs/deploy.md asks for, beside those of CI, to which it links."""
    text = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert "(../terraform/modules/ci/roles.tf)" in text
    return set(re.findall(r"`(roles/[\w.]+)`", text))


def test_every_kind_of_resource_has_a_row() -> None:
    assert used() == set(NEEDED)


def test_the_roles_have_every_permission_that_a_resource_needs() -> None:
    granted = set().union(*GRANTED.values(), *ELSEWHERE.values())
    assert {kind: needed - granted for kind, needed in NEEDED.items() if needed - granted} == {}


def test_no_role_is_without_use() -> None:
    needed = set().union(*NEEDED.values())
    assert {role: has - needed for role, has in (GRANTED | ELSEWHERE).items() if has - needed} == {}


READING = ("get", "list", "getIamPolicy", "getMetadata")


def test_who_plans_in_ci_reads_what_a_plan_reads() -> None:
    """Objects are read in two buckets alone. With a quota project, each call also uses the service."""
    needed = set().union(*(needed for kind, needed in NEEDED.items() if kind not in ("google_billing_budget",)))
    read = {one for one in needed if one.rpartition(".")[2] in READING}
    elsewhere = {one for one in read if one.startswith(("storage.objects.", "cloudkms."))}
    text = (ROOT / "terraform" / "modules" / "ci" / "plan.tf").read_text(encoding="utf-8")
    assert set(re.findall(r'^ {4}"([\w.]+)",$', text, re.MULTILINE)) == read - elsewhere | {"serviceusage.services.use"}


def test_ci_has_these_roles() -> None:
    assert roles_of_ci() == set(GRANTED)


def test_the_guide_asks_for_these_roles() -> None:
    assert documented() == {*ELSEWHERE}
