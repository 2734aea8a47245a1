output "workload_identity_provider" {
  description = "For google-github-actions/auth."
  value       = google_iam_workload_identity_pool_provider.github.name
}

output "service_account" {
  description = "For google-github-actions/auth."
  value       = google_service_account.ci.email
}
