# The APIs that all other resources need, so the others depend on them. A new API works only some minutes after it is
# enabled. Therefore scripts/deploy applies the APIs first.

locals {
  services = concat([
    "artifactregistry.googleapis.com",
    "billingbudgets.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudfunctions.googleapis.com",
    "cloudresourcemanager.googleapis.com",
    "cloudscheduler.googleapis.com",
    "compute.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "iamcredentials.googleapis.com",
    "iap.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
    "secretmanager.googleapis.com",
    "storage.googleapis.com",
  ], var.kms_key == null ? [] : ["cloudkms.googleapis.com"])
}

resource "google_project_service" "required" {
  for_each = toset(local.services)
  project  = var.project
  service  = each.value
  # Somebody else may use the API too. Disabling an API can also delete its resources.
  disable_on_destroy = false
}

data "google_project" "this" {
  project_id = var.project
}

locals {
  # The service agents: Google's own accounts, with which a service acts in this project.
  agents = {
    compute        = "serviceAccount:service-${data.google_project.this.number}@compute-system.iam.gserviceaccount.com"
    firestore      = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-firestore.iam.gserviceaccount.com"
    iap            = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-iap.iam.gserviceaccount.com"
    pubsub         = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
    secret_manager = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-secretmanager.iam.gserviceaccount.com"
    storage        = "serviceAccount:${data.google_storage_project_service_account.this.email_address}"
  }
}

# Google creates this account when somebody reads it.
data "google_storage_project_service_account" "this" {
  project = var.project
}
