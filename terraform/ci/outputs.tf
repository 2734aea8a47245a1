output "workload_identity_provider" {
  description = "For google-github-actions/auth."
  value       = module.ci.workload_identity_provider
}

output "service_account" {
  description = "For google-github-actions/auth."
  value       = module.ci.service_account
}
