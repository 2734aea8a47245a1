# The exports of the audit log, if audit_retention is set: the janitor writes a file for each day, and until its time is
# over nobody can change or remove one, whatever their role. An attacker who owns the database cannot cut off what is here.

resource "google_storage_bucket" "audit" {
  count = var.audit_retention == null ? 0 : 1
  #checkov:skip=CKV_GCP_62:Cloud Audit Logs record each access with the account; access logs are for public buckets
  #checkov:skip=CKV_GCP_78:The retention policy keeps each object as it was written
  name     = "${local.bucket}-audit"
  project  = var.project
  location = coalesce(var.bucket.location, var.region)
  labels   = var.labels

  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  deletion_policy             = local.deletion_policy

  # A locked policy can be extended, and never shortened or removed (https://cloud.google.com/storage/docs/bucket-lock).
  retention_policy {
    retention_period = var.audit_retention.days * 86400
    is_locked        = var.audit_retention.locked
  }

  dynamic "encryption" {
    for_each = var.kms_key == null ? [] : [var.kms_key]
    content {
      default_kms_key_name = encryption.value
    }
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

# The retention policy keeps the janitor, too, from changing what it has written.
resource "google_storage_bucket_iam_member" "audit" {
  count  = length(google_storage_bucket.audit)
  bucket = google_storage_bucket.audit[0].name
  role   = "roles/storage.objectUser"
  member = "serviceAccount:${google_service_account.function["janitor"].email}"
}
