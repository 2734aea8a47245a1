# Firestore: the record of each document, the dead letters, and the janitor's checkpoint (common/ragbase/adapters/google).

locals {
  database   = coalesce(var.database.name, var.name)
  collection = "documents"
}

resource "google_firestore_database" "records" {
  project     = var.project
  name        = local.database
  location_id = coalesce(var.database.location, var.region)
  type        = "FIRESTORE_NATIVE"

  # Records change by compare-and-set, so a writer detects a conflict and does not wait for a lock.
  concurrency_mode                  = "OPTIMISTIC"
  point_in_time_recovery_enablement = var.database.point_in_time_recovery ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED"
  delete_protection_state           = var.protect ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy                   = local.deletion_policy

  dynamic "cmek_config" {
    for_each = var.kms_key == null ? [] : [var.kms_key]
    content {
      kms_key_name = cmek_config.value
    }
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

# A backup of each day, beside the history that point_in_time_recovery keeps: it outlives a database that is deleted.
resource "google_firestore_backup_schedule" "daily" {
  count     = var.database.backup_days > 0 ? 1 : 0
  project   = var.project
  database  = google_firestore_database.records.name
  retention = "${var.database.backup_days * 86400}s"
  daily_recurrence {}
}

# A query over several fields needs a composite index, or Firestore refuses it. Firestore indexes single fields by itself.
# Times only increase, so their entries would all go to one end of an index, which takes 500 writes a second: `shard`, a
# number of eight, divides that.
locals {
  indexes = {
    newest_first                     = ["shard", "tombstone", "created_at DESCENDING", "__name__"]
    newest_first_by_status           = ["shard", "tombstone", "status", "created_at DESCENDING", "__name__"]
    newest_first_of_tenant           = ["shard", "tombstone", "tenant", "created_at DESCENDING", "__name__"]
    newest_first_of_tenant_by_status = ["shard", "tombstone", "status", "tenant", "created_at DESCENDING", "__name__"]
    by_name                          = ["bucket", "name"]
    waiting                          = ["shard", "tombstone", "status", "updated_at"]
    handed_out_of_tenant             = ["tenant", "handed_out_at"]
    last_changed                     = ["shard", "changed_at DESCENDING"]
    last_changed_of_tenant           = ["shard", "tenant", "changed_at DESCENDING"]
  }
}

resource "google_firestore_index" "query" {
  for_each   = local.indexes
  project    = var.project
  database   = google_firestore_database.records.name
  collection = local.collection

  # If __name__ is missing, Firestore adds it in the order of the last field.
  dynamic "fields" {
    for_each = each.value
    content {
      field_path = split(" ", fields.value)[0]
      order      = endswith(fields.value, " DESCENDING") ? "DESCENDING" : "ASCENDING"
    }
  }

  lifecycle {
    create_before_destroy = true # a listing fails while it has no index
  }
}

# No query asks for one of these fields alone. Each write would pay for their index entries, and those of the times would
# be a hotspot.
resource "google_firestore_field" "unindexed" {
  for_each = toset([
    "documents/record", "documents/write", "documents/created_at", "documents/updated_at", "documents/changed_at",
    "dead_letters/record", "checkpoints/text", "audit/text", "audit/hash", "audit_chains/text", "audit_chains/hash", "audit_chains/at",
  ])
  project    = var.project
  database   = google_firestore_database.records.name
  collection = split("/", each.value)[0]
  field      = split("/", each.value)[1]
  index_config {}
}

# Firestore deletes the record of a deleted document some time after `expires_at`. The adapter sets it to 180 days from now.
# An older event that arrives later would bring the document back. An event can wait 7 days for the router, 7 days for
# dead_letter, 31 days in the kept subscription, and as a dead letter until a person replays it.
resource "google_firestore_field" "expiry" {
  project    = var.project
  database   = google_firestore_database.records.name
  collection = local.collection
  field      = "expires_at"
  ttl_config {}
  index_config {} # times that only increase would all go to one end of an index, a hotspot
}
