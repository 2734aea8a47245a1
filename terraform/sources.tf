# The scheduled sources: the file that describes them, and the calls of the function that syncs them.

locals {
  # What the AWS SDK reads. Only the function `sources` gets it.
  s3_secrets = var.s3 == null ? {} : {
    AWS_ACCESS_KEY_ID     = var.s3.access_key_id
    AWS_SECRET_ACCESS_KEY = var.s3.secret_access_key
  }
  s3_settings = { for name, value in {
    AWS_DEFAULT_REGION  = try(var.s3.region, null)
    AWS_ENDPOINT_URL_S3 = try(var.s3.endpoint, null)
  } : name => value if value != null }

  # A text or number of JSON is one of TOML, too.
  sources_tables = [for name, source in var.sources : join("\n", concat(
    ["[${name}]"],
    [for key, value in source : "${key} = ${jsonencode(value)}" if value != null],
    [""],
  ))]
}

# In the bucket for documents the file would be a document, too.
resource "google_storage_bucket" "sources" {
  #checkov:skip=CKV_GCP_62:Cloud Audit Logs record each access with the account; access logs are for public buckets
  #checkov:skip=CKV_GCP_78:Terraform writes its only object, and can write it again
  name     = "${local.bucket}-sources"
  project  = var.project
  location = var.region
  labels   = var.labels

  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true

  dynamic "encryption" {
    for_each = var.kms_key == null ? [] : [var.kms_key]
    content {
      default_kms_key_name = encryption.value
    }
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

resource "google_storage_bucket_object" "sources" {
  bucket       = google_storage_bucket.sources.name
  name         = "sources.toml"
  content_type = "application/toml"
  content      = join("\n", concat(["# Terraform writes this file (variable sources).", ""], local.sources_tables))
}

resource "google_storage_bucket_iam_member" "sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = "serviceAccount:${google_service_account.function["sources"].email}"
}

# The api shows the operator the sources with their last runs.
resource "google_storage_bucket_iam_member" "api_reads_sources" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = "serviceAccount:${google_service_account.function["api"].email}"
}

resource "google_cloud_run_v2_service_iam_member" "sources" {
  project  = var.project
  location = var.region
  name     = module.function["sources"].service
  role     = "roles/run.invoker"
  member   = "serviceAccount:${google_service_account.scheduler.email}"
}

resource "google_cloud_scheduler_job" "sources" {
  project     = var.project
  region      = var.region
  name        = "${var.name}-sources"
  description = "Syncs the scheduled sources that are due, and goes on with unfinished runs."
  schedule    = "*/30 * * * *"
  time_zone   = "Etc/UTC"
  paused      = length(var.sources) == 0
  # Longer than the function's own timeout, and at most 30 minutes.
  attempt_deadline = "${local.functions.sources.timeout + 30}s"

  # No retries: the next scheduled run goes on.
  retry_config {
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = module.function["sources"].uri
    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = module.function["sources"].uri
    }
  }

  depends_on = [google_project_service.required, google_cloud_run_v2_service_iam_member.sources]
}
