# Firestore: a record of each document, the dead letters, and how far the janitor got (common/ragbase/adapters/google).

locals {
  database   = var.name
  collection = "documents"
}

resource "google_firestore_database" "records" {
  project     = var.project
  name        = local.database
  location_id = coalesce(var.database.location, var.region)
  type        = "FIRESTORE_NATIVE"

  # Records change by compare-and-set, so a conflict is found out and not waited for.
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

# The queries over more than one field; without its index the service refuses one. Of single fields it has indexes anyway.
locals {
  indexes = {
    newest_first           = ["tombstone", "created_at DESCENDING", "__name__"]
    newest_first_by_status = ["status", "tombstone", "created_at DESCENDING", "__name__"]
    by_name                = ["bucket", "name"]
    waiting                = ["status", "tombstone", "updated_at"]
  }
}

resource "google_firestore_index" "query" {
  for_each   = local.indexes
  project    = var.project
  database   = google_firestore_database.records.name
  collection = local.collection

  # Where __name__ is left out it is added in the order of the last field.
  dynamic "fields" {
    for_each = each.value
    content {
      field_path = split(" ", fields.value)[0]
      order      = endswith(fields.value, " DESCENDING") ? "DESCENDING" : "ASCENDING"
    }
  }
}

# Nothing is asked of these, and every write would pay for their entries.
resource "google_firestore_field" "unindexed" {
  for_each   = toset(["documents/record", "documents/write", "dead_letters/record", "checkpoints/text"])
  project    = var.project
  database   = google_firestore_database.records.name
  collection = split("/", each.value)[0]
  field      = split("/", each.value)[1]
  index_config {}
}

# The record of a deleted document goes some time after `expires_at`, which the adapter sets 180 days ahead. An older
# event that comes after that would revive the document: it can wait 7 days for the router, 7 for dead_letter, 31 among
# what is kept, and as a dead letter until a person replays it.
resource "google_firestore_field" "expiry" {
  project    = var.project
  database   = google_firestore_database.records.name
  collection = local.collection
  field      = "expires_at"
  ttl_config {}
  index_config {} # times that only grow make one hot range of an index
}
