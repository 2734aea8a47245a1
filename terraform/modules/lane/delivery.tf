resource "google_service_account" "delivery" {
  project      = var.project
  account_id   = var.account_id
  display_name = "ragbase: delivers ${var.name}"
}

resource "google_cloud_run_v2_service_iam_member" "delivery" {
  project  = var.project
  location = var.region
  name     = var.function.service
  role     = "roles/run.invoker"
  member   = "serviceAccount:${google_service_account.delivery.email}"
}

# Pub/Sub signs its requests as this account. In projects from before April 2021 it needs this grant for that.
resource "google_service_account_iam_member" "token" {
  service_account_id = google_service_account.delivery.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = var.agent
}
