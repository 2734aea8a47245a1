# The bucket for documents. Everybody who can write to it can change search results, so nobody outside the project can.

locals {
  bucket = coalesce(var.bucket.name, "${var.project}-${var.name}")
}

resource "google_storage_bucket" "documents" {
  #checkov:skip=CKV_GCP_62:Cloud Audit Logs record each access with the account; access logs are for public buckets
  name     = local.bucket
  project  = var.project
  location = coalesce(var.bucket.location, var.region)
  labels   = var.labels

  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !var.protect
  deletion_policy             = local.deletion_policy

  versioning {
    enabled = true
  }

  soft_delete_policy {
    retention_duration_seconds = var.bucket.soft_delete_days * 86400
  }

  # Old versions. Search never shows them, but people can restore them.
  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      days_since_noncurrent_time = var.bucket.noncurrent_days
      with_state                 = "ARCHIVED"
    }
  }

  # The parts of a broken upload are not visible, but they cost money.
  lifecycle_rule {
    action {
      type = "AbortIncompleteMultipartUpload"
    }
    condition {
      age = 1
    }
  }

  # A browser with a signed URL uploads directly to the bucket.
  dynamic "cors" {
    for_each = length(var.bucket.cors_origins) == 0 ? [] : [var.bucket.cors_origins]
    content {
      origin          = cors.value
      method          = ["PUT"]
      response_header = ["Content-Type", "Content-MD5", "x-goog-content-length-range", "x-goog-if-generation-match"]
      max_age_seconds = 3600
    }
  }

  dynamic "encryption" {
    for_each = var.kms_key == null ? [] : [var.kms_key]
    content {
      default_kms_key_name = encryption.value
    }
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

# The texts that extractors elsewhere give, and those of the parts of long documents. In the bucket for documents they
# would be documents, too. A text goes when nobody needs it, so there are no old versions.
resource "google_storage_bucket" "texts" {
  #checkov:skip=CKV_GCP_62:Cloud Audit Logs record each access with the account; access logs are for public buckets
  #checkov:skip=CKV_GCP_78:A text is overwritten only by the same one; what is deleted should be gone
  name     = "${local.bucket}-texts"
  project  = var.project
  location = var.region
  labels   = var.labels

  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = !var.protect
  deletion_policy             = local.deletion_policy

  soft_delete_policy {
    retention_duration_seconds = var.bucket.soft_delete_days * 86400
  }

  dynamic "encryption" {
    for_each = var.kms_key == null ? [] : [var.kms_key]
    content {
      default_kms_key_name = encryption.value
    }
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

# Each change in the bucket becomes a message. With versioning, an overwritten or deleted object is archived, not deleted.
resource "google_storage_notification" "uploads" {
  bucket         = google_storage_bucket.documents.name
  topic          = google_pubsub_topic.lane["uploads"].id
  payload_format = "JSON_API_V1"
  event_types    = ["OBJECT_FINALIZE", "OBJECT_DELETE", "OBJECT_ARCHIVE"]

  # Cloud Storage refuses a notification if it has no right to publish to the topic.
  depends_on = [google_pubsub_topic_iam_member.bucket]
}

resource "google_pubsub_topic_iam_member" "bucket" {
  project = var.project
  topic   = google_pubsub_topic.lane["uploads"].name
  role    = "roles/pubsub.publisher"
  member  = local.agents.storage
}
