# A snapshot can only become a new disk, with another name (docs/restore.md).
locals {
  disk = coalesce(var.disk_name, "${var.name}-data")
}

resource "google_compute_disk" "data" {
  project = var.project
  zone    = var.zone
  name    = local.disk
  type    = "pd-balanced"
  size    = var.disk_gib
  labels  = var.labels

  # With `keep`, nobody can destroy the disk by mistake. If somebody destroys it on purpose, a snapshot remains, and with
  # or without `keep`: a protected disk cannot go, so it is always one without `keep` that goes. The provider looks at what
  # the state says, so it is set from the first apply on.
  deletion_policy                       = var.keep ? "PREVENT" : "DELETE"
  create_snapshot_before_destroy        = true
  create_snapshot_before_destroy_prefix = "${var.name}-last"

  dynamic "disk_encryption_key" {
    for_each = var.kms_key == null ? [] : [var.kms_key]
    content {
      kms_key_self_link = disk_encryption_key.value
    }
  }

  lifecycle {
    ignore_changes = [snapshot] # keeps a disk that was restored from a snapshot (docs/restore.md)
  }
}
