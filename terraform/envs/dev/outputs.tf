output "endpoint" {
  description = "Where the api answers."
  value       = module.ragbase.endpoint
}

output "bucket" {
  description = "Where documents go."
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
  description = "The operator's page."
  value       = module.ragbase.dashboard
}
