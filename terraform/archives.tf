# The bucket from which Cloud Build takes the functions' archives, and the registry to which it pushes their images.

resource "google_storage_bucket" "archives" {
  #checkov:skip=CKV_GCP_62:Cloud Audit Logs record each access with the account; access logs are for public buckets
  name     = "${local.bucket}-functions"
  project  = var.project
  location = var.region
  labels   = var.labels

  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # scripts/stage-functions makes the same archives again, byte for byte

  versioning {
    enabled = true
  }

  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      days_since_noncurrent_time = 90
      with_state                 = "ARCHIVED"
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

resource "google_artifact_registry_repository" "functions" {
  #checkov:skip=CKV_GCP_84:The images are built from public sources and contain no document
  project       = var.project
  location      = var.region
  repository_id = "${var.name}-functions"
  description   = "The images that Cloud Build makes from the functions' archives."
  format        = "DOCKER"
  labels        = var.labels

  # The last five allow a rollback. A running revision keeps its image even if the tag is deleted.
  cleanup_policies {
    id     = "keep-the-last-of-each"
    action = "KEEP"
    most_recent_versions {
      keep_count = 5
    }
  }
  cleanup_policies {
    id     = "delete-the-others"
    action = "DELETE"
    condition {
      older_than = "2592000s"
    }
  }

  depends_on = [google_project_service.required]
}

# Builds run under their own account. The default account may have the role Editor in the project.
resource "google_service_account" "build" {
  project      = var.project
  account_id   = "${var.name}-build"
  display_name = "ragbase: builds the functions"
  depends_on   = [google_project_service.required]
}

resource "google_storage_bucket_iam_member" "build" {
  bucket = google_storage_bucket.archives.name
  role   = "roles/storage.objectViewer"
  member = "serviceAccount:${google_service_account.build.email}"
}

# Cloud Functions copies the archive to another bucket for the build. It creates this bucket at the first deployment.
resource "google_project_iam_member" "build_sources" {
  project = var.project
  role    = "roles/storage.objectViewer"
  member  = "serviceAccount:${google_service_account.build.email}"
  condition {
    title      = "sources of functions"
    expression = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-${var.region}\")"
  }
}

# These roles are for the whole project: Artifact Registry supports no conditions, and a log belongs to a project.
resource "google_project_iam_member" "build" {
  for_each = toset(["roles/artifactregistry.writer", "roles/logging.logWriter"])
  project  = var.project
  role     = each.value
  member   = "serviceAccount:${google_service_account.build.email}"
}
