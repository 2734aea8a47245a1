# A snapshot of the disk every 12 hours, kept for a week. It is possible to rebuild all of Weaviate from the bucket, but to
# restore a snapshot takes only minutes and needs no embeddings. Compute Engine takes and deletes them by itself, so nobody
# needs a right for that. alerts_weaviate.tf tells when none comes.

resource "google_compute_resource_policy" "snapshots" {
  project     = var.project
  region      = var.region
  name        = "${var.name}-snapshots"
  description = "Snapshots of Weaviate's disk."

  snapshot_schedule_policy {
    schedule {
      hourly_schedule {
        hours_in_cycle = 12
        start_time     = "03:00"
      }
    }
    retention_policy {
      max_retention_days    = 7
      on_source_disk_delete = "KEEP_AUTO_SNAPSHOTS"
    }
    snapshot_properties {
      labels            = var.labels
      storage_locations = [coalesce(var.snapshot_location, var.region)]
    }
  }
}

resource "google_compute_disk_resource_policy_attachment" "snapshots" {
  project = var.project
  zone    = var.zone
  name    = google_compute_resource_policy.snapshots.name
  disk    = google_compute_disk.data.name
}
