# The janitor's clock.

resource "google_service_account" "scheduler" {
  project      = var.project
  account_id   = "${var.name}-scheduler"
  display_name = "ragbase: calls the janitor"
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
  description = "Expired leases, jobs that were lost, objects without a record, chunks without a document."
  schedule    = "*/10 * * * *"
  time_zone   = "Etc/UTC"
  # Not before the function's own time-out: the scheduler would call a failure what is still at work.
  attempt_deadline = "${local.functions.janitor.timeout + 30}s"

  # The next run comes by itself, and does what this one did not.
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
