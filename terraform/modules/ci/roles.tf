# What whoever deploys needs: to make each kind of resource, and to grant its functions their own rights.

locals {
  roles = toset([
    "roles/artifactregistry.admin",
    "roles/cloudfunctions.admin",
    "roles/cloudscheduler.admin",
    "roles/compute.admin",
    "roles/datastore.owner",
    "roles/iam.serviceAccountAdmin",
    "roles/iam.serviceAccountUser",
    "roles/iap.admin",
    "roles/logging.configWriter",
    "roles/monitoring.editor",
    "roles/pubsub.admin",
    "roles/resourcemanager.projectIamAdmin",
    "roles/run.admin",
    "roles/secretmanager.admin",
    "roles/serviceusage.serviceUsageAdmin",
    "roles/storage.admin",
  ])
}

resource "google_project_iam_member" "ci" {
  for_each = local.roles
  project  = var.project
  role     = each.value
  member   = "serviceAccount:${google_service_account.ci.email}"
}
