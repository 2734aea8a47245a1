# One snapshot each night, kept for a week: last Monday's snapshot is deleted an hour before the new Monday snapshot. It is
# possible to rebuild all of Weaviate from the bucket, but to restore a snapshot takes only minutes and needs no embeddings.
#
# Cloud Scheduler calls Compute Engine directly. So a night without a snapshot is a failed job, and there is an alert for
# that. In the first week there is no snapshot to delete yet, so those calls return 404.

locals {
  nights   = { mon = 1, tue = 2, wed = 3, thu = 4, fri = 5, sat = 6, sun = 0 }
  compute  = "https://compute.googleapis.com/compute/v1/projects/${var.project}"
  disk     = "${var.name}-data"
  snapshot = "${var.name}-night-"
}

resource "google_service_account" "snapshots" {
  project      = var.project
  account_id   = "${var.name}-disk"
  display_name = "ragbase: snapshots of Weaviate's disk"
}

resource "google_project_iam_custom_role" "snapshots" {
  project     = var.project
  role_id     = "${replace(var.name, "-", "_")}_snapshots"
  title       = "ragbase: snapshots of Weaviate's disk"
  permissions = ["compute.disks.createSnapshot", "compute.snapshots.create", "compute.snapshots.delete", "compute.snapshots.setLabels"]
}

# A snapshot that does not exist yet has no resource name. So Google checks the right to create it on the project.
resource "google_project_iam_member" "snapshots" {
  project = var.project
  role    = google_project_iam_custom_role.snapshots.name
  member  = "serviceAccount:${google_service_account.snapshots.email}"
  condition {
    title      = "this disk and its nightly snapshots"
    expression = "resource.type == \"cloudresourcemanager.googleapis.com/Project\" || resource.name == \"projects/${var.project}/zones/${var.zone}/disks/${local.disk}\" || resource.name.startsWith(\"projects/${var.project}/global/snapshots/${local.snapshot}\")"
  }
}

resource "google_cloud_scheduler_job" "make_room" {
  for_each         = local.nights
  project          = var.project
  region           = var.region
  name             = "${var.name}-room-${each.key}"
  description      = "Deletes last week's snapshot of this night."
  schedule         = "0 2 * * ${each.value}"
  time_zone        = "Etc/UTC"
  attempt_deadline = "60s"
  http_target {
    http_method = "DELETE"
    uri         = "${local.compute}/global/snapshots/${local.snapshot}${each.key}"
    oauth_token {
      service_account_email = google_service_account.snapshots.email
    }
  }
}

resource "google_cloud_scheduler_job" "snapshot" {
  for_each         = local.nights
  project          = var.project
  region           = var.region
  name             = "${var.name}-snapshot-${each.key}"
  description      = "Takes this night's snapshot of Weaviate's disk."
  schedule         = "0 3 * * ${each.value}"
  time_zone        = "Etc/UTC"
  attempt_deadline = "60s"
  retry_config {
    retry_count = 3
  }
  http_target {
    http_method = "POST"
    uri         = "${local.compute}/zones/${var.zone}/disks/${google_compute_disk.data.name}/createSnapshot"
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode(jsonencode({ name = "${local.snapshot}${each.key}", labels = var.labels, storageLocations = [var.region] }))
    oauth_token {
      service_account_email = google_service_account.snapshots.email
    }
  }
}
