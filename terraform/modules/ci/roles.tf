# What the one who deploys needs: to make each kind of resource, and to grant its functions their own rights.

locals {
  roles = toset([
    "roles/artifactregistry.admin",
    "roles/cloudfunctions.admin",
    "roles/cloudscheduler.admin",
    "roles/compute.admin",
    "roles/datastore.backupSchedulesAdmin",
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
  #checkov:skip=CKV_GCP_49:The one who deploys makes the accounts of the functions and grants them their rights
  #checkov:skip=CKV_GCP_41:A function is deployed by somebody who may use its account
  for_each = local.roles
  project  = var.project
  role     = each.value
  member   = "serviceAccount:${google_service_account.ci.email}"
}
