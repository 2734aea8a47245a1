# The secrets, without their values. You add the values by hand (docs/deploy.md), so no plan and no state contains them.

locals {
  secrets = merge(
    { for service in keys(local.model_keys) : service => "${var.name}-${service}-api-key" },
    { password = "${var.name}-password-hash" }, # optional: see secret_variables
    try(var.weaviate.secret, null) == null ? { weaviate = "${var.name}-weaviate-api-key" } : {},
  )

  # The ids in Secret Manager, also of a secret that existed before.
  secret_ids = merge({ weaviate = try(var.weaviate.secret, null) }, local.secrets)

  secret_readers = merge(
    { for service in keys(local.model_keys) : local.secret_ids[service] => local.model_callers[service] },
    {
      (local.secret_ids.weaviate) = ["fast_lane", "heavy_lane", "api", "janitor"]
      (local.secret_ids.password) = var.api_password ? ["api"] : []
    },
    { for secret in values(local.s3_secrets) : secret => ["sources"] },
  )

  # The environment variables of settings.py. A revision does not start if one of its secrets has no value, so the
  # password is left out unless somebody has said that there is one.
  secret_variables = merge(
    { WEAVIATE_API_KEY = local.secret_ids.weaviate },
    { for service, variable in local.model_keys : variable => local.secret_ids[service] },
    var.api_password ? { RAGBASE_PASSWORD_HASH = local.secret_ids.password } : {},
    local.s3_secrets,
  )
}

resource "google_secret_manager_secret" "this" {
  for_each            = local.secrets
  project             = var.project
  secret_id           = each.value
  labels              = var.labels
  deletion_protection = var.protect
  version_destroy_ttl = "604800s" # a version that was destroyed by mistake can be restored for a week

  replication {
    user_managed {
      replicas {
        location = var.region
        dynamic "customer_managed_encryption" {
          for_each = var.kms_key == null ? [] : [var.kms_key]
          content {
            kms_key_name = customer_managed_encryption.value
          }
        }
      }
    }
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

resource "google_secret_manager_secret_iam_member" "reader" {
  for_each = merge([
    for secret, readers in local.secret_readers : { for reader in readers : "${reader} reads ${secret}" => { secret = secret, reader = reader } }
  ]...)
  project   = var.project
  secret_id = each.value.secret
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${google_service_account.function[each.value.reader].email}"

  depends_on = [google_secret_manager_secret.this]
}
