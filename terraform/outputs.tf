output "endpoint" {
  description = "Where the api answers."
  value       = module.function["api"].uri
}

output "bucket" {
  description = "Where documents go."
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
  description = "The secrets whose values are added by hand, and which functions do not start without. The password's is optional."
  value       = { for name, id in local.secret_ids : name => id if name != "password" }
}

output "kept_messages" {
  description = "The subscription in which messages wait that no function took."
  value       = google_pubsub_subscription.kept.name
}

output "dashboard" {
  description = "The operator's page."
  value       = "https://console.cloud.google.com/monitoring/dashboards?project=${var.project}"
}
