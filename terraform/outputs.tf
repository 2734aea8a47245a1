output "endpoint" {
  description = "The URL of the api."
  value       = local.endpoint
}

output "load_balancer_address" {
  description = "The address to which the domain of the load balancer must lead (a record of type A). Empty without one."
  value       = join("", module.load_balancer[*].address)
}

output "bucket" {
  description = "The bucket for documents."
  value       = google_storage_bucket.documents.name
}

locals {
  # Cloud Run looks for its own token in X-Serverless-Authorization first, so that Authorization is free for ours.
  # Identity-Aware Proxy does the same with Proxy-Authorization, and wants a token of its own (docs/access.md).
  google_header = local.uses_iap ? "Proxy-Authorization" : local.sign_in == "required" ? "X-Serverless-Authorization" : "Authorization"
  google_token  = local.uses_iap ? "$IAP_TOKEN" : "$(gcloud auth print-identity-token)"
  call_headers = join("", [
    var.api_public ? "" : "-H \"${local.google_header}: Bearer ${local.google_token}\" ",
    local.sign_in == "required" ? "-H \"Authorization: Bearer $RAGBASE_KEY\" " : "",
  ])
}

output "how_to_upload_and_ask" {
  description = "The first document and the first question, as commands."
  value       = <<-TEXT
    gcloud storage cp guide.md gs://${google_storage_bucket.documents.name}/guides/guide.md
    curl -s ${local.endpoint}/api/query -H 'Content-Type: application/json' \
      ${local.call_headers}-d '{"query": "When does the backup start?"}'
  TEXT
}

output "secrets" {
  description = "The secrets whose values you must add by hand. Functions do not start without them. The password is in this list only with api_password."
  value       = { for name, id in local.secret_ids : name => id if name != "password" || var.api_password }
}

output "sources_account" {
  description = "The account that reads the sources. The owner of a bucket grants it the role Storage Object Viewer there."
  value       = google_service_account.function["sources"].email
}

output "kept_messages" {
  description = "The subscription that keeps the messages that no function could process."
  value       = google_pubsub_subscription.kept.name
}

output "restore" {
  description = "What scripts/restore has to know (docs/restore.md)."
  value = {
    project  = var.project
    bucket   = google_storage_bucket.documents.name
    database = google_firestore_database.records.name
    backups  = var.database.backup_days > 0
    indexes  = local.indexes
    kms_key  = var.kms_key
    weaviate = local.vm == null ? null : { for fact in ["name", "zone", "disk", "disk_gib"] : fact => local.vm[fact] }
  }
}

output "dashboard" {
  description = "The URL of the dashboard."
  value       = "https://console.cloud.google.com/monitoring/dashboards?project=${var.project}"
}
