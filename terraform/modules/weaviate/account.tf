# The VM's account. It reads the API key and the image, and writes logs and metrics.
resource "google_service_account" "vm" {
  project      = var.project
  account_id   = var.name
  display_name = "ragbase: Weaviate"
}

resource "google_secret_manager_secret_iam_member" "vm" {
  project   = var.project
  secret_id = var.secret
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${google_service_account.vm.email}"
}

resource "google_project_iam_member" "vm" {
  for_each = toset(["roles/artifactregistry.reader", "roles/logging.logWriter", "roles/monitoring.metricWriter"])
  project  = var.project
  role     = each.value
  member   = "serviceAccount:${google_service_account.vm.email}"
}
