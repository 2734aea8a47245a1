# Named by its hash: the same sources make the same name, and other sources another function.
resource "google_storage_bucket_object" "archive" {
  bucket = var.archive.bucket
  name   = "${var.entry_point}/${var.archive.sha256}.zip"
  source = var.archive.path
}
