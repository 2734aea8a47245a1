# The name contains the hash. Unchanged sources keep the name. Changed sources get a new name, so the function changes.
resource "google_storage_bucket_object" "archive" {
  bucket = var.archive.bucket
  name   = "${var.entry_point}/${var.archive.sha256}.zip"
  source = var.archive.path
}
