# The sources that are synced on a schedule (docs/sources.md). Without a file that describes them, nothing calls the function.

locals {
  sources_settings = var.sources_file == null ? {} : {
    RAGBASE_SOURCES_FILE = "gs://${google_storage_bucket.archives.name}/${google_storage_bucket_object.sources[0].name}"
  }
}

# It is not in the bucket for documents, where it would be a document itself.
resource "google_storage_bucket_object" "sources" {
  count        = var.sources_file == null ? 0 : 1
  bucket       = google_storage_bucket.archives.name
  name         = "sources.toml"
  content      = file(var.sources_file)
  content_type = "application/toml"
}

resource "google_storage_bucket_iam_member" "sources" {
  bucket = google_storage_bucket.archives.name
  role   = "roles/storage.objectViewer"
  member = "serviceAccount:${google_service_account.function["sources"].email}"
}

# The keys of buckets elsewhere. Their secrets exist already; Terraform sees only their names.
resource "google_secret_manager_secret_iam_member" "source" {
  for_each  = toset(values(var.source_secrets))
  project   = var.project
  secret_id = each.value
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${google_service_account.function["sources"].email}"
}

resource "google_cloud_run_v2_service_iam_member" "sources" {
  project  = var.project
  location = var.region
  name     = module.function["sources"].service
  role     = "roles/run.invoker"
  member   = "serviceAccount:${google_service_account.scheduler.email}"
}

resource "google_cloud_scheduler_job" "sources" {
  count            = var.sources_file == null ? 0 : 1
  project          = var.project
  region           = var.region
  name             = "${var.name}-sources"
  description      = "Syncs the sources that are due."
  schedule         = var.sources_schedule
  time_zone        = "Etc/UTC"
  attempt_deadline = "1800s" # the longest that Cloud Scheduler waits

  http_target {
    http_method = "POST"
    uri         = module.function["sources"].uri
    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = module.function["sources"].uri
    }
  }

  depends_on = [google_project_service.required, google_cloud_run_v2_service_iam_member.sources]
}
