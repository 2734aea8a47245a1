# The APIs that everything else needs. Everything waits for them: an API that was just enabled answers some minutes later,
# which is why scripts/deploy applies this file first.

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
  # Others may use it too, and an API that is switched off takes what it made along.
  disable_on_destroy = false
}

data "google_project" "this" {
  project_id = var.project
}

locals {
  # Google's own accounts that act for a service in this project.
  agents = {
    compute        = "serviceAccount:service-${data.google_project.this.number}@compute-system.iam.gserviceaccount.com"
    firestore      = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-firestore.iam.gserviceaccount.com"
    pubsub         = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
    secret_manager = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-secretmanager.iam.gserviceaccount.com"
    storage        = "serviceAccount:${data.google_storage_project_service_account.this.email_address}"
  }
}

# Reading it makes it exist.
data "google_storage_project_service_account" "this" {
  project = var.project
}
