# The outputs that every environment has: dev and prod have a link to this file.

output "endpoint" {
  description = "The URL of the api."
  value       = module.ragbase.endpoint
}

output "bucket" {
  description = "The bucket for documents."
  value       = module.ragbase.bucket
}

output "how_to_upload_and_ask" {
  description = "The first document and the first question, as commands."
  value       = module.ragbase.how_to_upload_and_ask
}

output "secrets" {
  description = "The secrets that need a value before the functions start (docs/deploy.md)."
  value       = module.ragbase.secrets
}

output "dashboard" {
  description = "The URL of the dashboard."
  value       = module.ragbase.dashboard
}

output "sources_account" {
  description = "The account that reads the sources. The owner of a bucket grants it the role Storage Object Viewer there."
  value       = module.ragbase.sources_account
}

output "restore" {
  value = module.ragbase.restore
}
