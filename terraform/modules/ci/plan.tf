# What a plan reads: each kind of resource, and who may do what. Basic roles such as Viewer would read the documents, too
# (https://cloud.google.com/iam/docs/roles-overview#basic). tests/terraform/test_roles.py knows what each kind needs.

locals {
  reads = [
    "artifactregistry.repositories.get",
    "cloudfunctions.functions.get",
    "cloudfunctions.operations.get",
    "cloudscheduler.jobs.get",
    "compute.addresses.get",
    "compute.backendServices.get",
    "compute.disks.get",
    "compute.firewalls.get",
    "compute.globalAddresses.get",
    "compute.globalForwardingRules.get",
    "compute.instances.get",
    "compute.networks.get",
    "compute.regionNetworkEndpointGroups.get",
    "compute.resourcePolicies.get",
    "compute.securityPolicies.get",
    "compute.sslCertificates.get",
    "compute.sslPolicies.get",
    "compute.subnetworks.get",
    "compute.targetHttpProxies.get",
    "compute.targetHttpsProxies.get",
    "compute.urlMaps.get",
    "datastore.backupSchedules.get",
    "datastore.databases.getMetadata",
    "datastore.indexes.get",
    "datastore.operations.get",
    "iam.serviceAccounts.get",
    "iam.serviceAccounts.getIamPolicy",
    "iap.tunnelInstances.getIamPolicy",
    "iap.webServices.getIamPolicy",
    "logging.logMetrics.get",
    "monitoring.alertPolicies.get",
    "monitoring.dashboards.get",
    "monitoring.notificationChannels.get",
    "monitoring.uptimeCheckConfigs.get",
    "pubsub.subscriptions.get",
    "pubsub.subscriptions.getIamPolicy",
    "pubsub.topics.get",
    "pubsub.topics.getIamPolicy",
    "resourcemanager.projects.get",
    "resourcemanager.projects.getIamPolicy",
    "run.services.getIamPolicy",
    "secretmanager.secrets.get",
    "secretmanager.secrets.getIamPolicy",
    "secretmanager.versions.list",
    "serviceusage.services.get",
    "serviceusage.services.list",
    "serviceusage.services.use",
    "storage.buckets.get",
    "storage.buckets.getIamPolicy",
  ]
}

resource "google_project_iam_custom_role" "plan" {
  project     = var.project
  role_id     = "ragbasePlan"
  title       = "ragbase: plans"
  permissions = local.reads
  depends_on  = [google_project_service.required]
}

resource "google_project_iam_member" "plan" {
  project = var.project
  role    = google_project_iam_custom_role.plan.name
  member  = "serviceAccount:${google_service_account.plan.email}"
}

# The state names what there is, and holds no secret's value. Documents are in other buckets.
resource "google_project_iam_member" "plan_objects" {
  project = var.project
  role    = "roles/storage.objectViewer"
  member  = "serviceAccount:${google_service_account.plan.email}"
  condition {
    title      = "state and archives"
    expression = join(" || ", [for bucket in [var.state_bucket, var.archives_bucket] : "resource.name.startsWith(\"projects/_/buckets/${bucket}/objects/\") || resource.name == \"projects/_/buckets/${bucket}\""])
  }
}
