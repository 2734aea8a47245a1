output "endpoint" {
  description = "The URL of the api."
  value       = module.function["api"].uri
}

output "bucket" {
  description = "The bucket for documents."
  value       = google_storage_bucket.documents.name
}

output "how_to_upload_and_ask" {
  description = "The first document and the first question, as commands."
  value       = <<-TEXT
    gcloud storage cp guide.md gs://${google_storage_bucket.documents.name}/guides/guide.md
    curl -s ${module.function["api"].uri}/api/query -H 'Content-Type: application/json' \
      ${var.api_public ? "" : "-H \"Authorization: Bearer $(gcloud auth print-identity-token)\" "}-d '{"query": "When does the backup start?"}'
  TEXT
}

output "secrets" {
  description = "The secrets whose values you must add by hand. Functions do not start without them. The password is optional and not in this list."
  value       = { for name, id in local.secret_ids : name => id if name != "password" }
}

output "kept_messages" {
  description = "The subscription that keeps the messages that no function could process."
  value       = google_pubsub_subscription.kept.name
}

output "dashboard" {
  description = "The URL of the dashboard."
  value       = "https://console.cloud.google.com/monitoring/dashboards?project=${var.project}"
}
