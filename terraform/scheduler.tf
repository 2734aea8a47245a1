# Cloud Scheduler calls the janitor every ten minutes.

resource "google_service_account" "scheduler" {
  project      = var.project
  account_id   = "${var.name}-scheduler"
  display_name = "ragbase: calls the janitor and the sources"
  depends_on   = [google_project_service.required]
}

resource "google_cloud_run_v2_service_iam_member" "scheduler" {
  project  = var.project
  location = var.region
  name     = module.function["janitor"].service
  role     = "roles/run.invoker"
  member   = "serviceAccount:${google_service_account.scheduler.email}"
}

resource "google_cloud_scheduler_job" "janitor" {
  project     = var.project
  region      = var.region
  name        = "${var.name}-janitor"
  description = "Looks for expired leases, lost jobs, objects without a record, and chunks without a document."
  schedule    = "*/10 * * * *"
  time_zone   = "Etc/UTC"
  # Longer than the function's own timeout. Otherwise the scheduler would report a failure while the janitor still works.
  attempt_deadline = "${local.functions.janitor.timeout + 30}s"

  # No retries: the next scheduled run does the rest of the work.
  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = module.function["janitor"].uri
    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = module.function["janitor"].uri
    }
  }

  depends_on = [google_project_service.required, google_cloud_run_v2_service_iam_member.scheduler]
}
