output "workload_identity_provider" {
  description = "For google-github-actions/auth, to deploy."
  value       = google_iam_workload_identity_pool_provider.github.name
}

output "service_account" {
  description = "For google-github-actions/auth, to deploy."
  value       = google_service_account.ci.email
}

output "plan_workload_identity_provider" {
  description = "For google-github-actions/auth, to plan."
  value       = google_iam_workload_identity_pool_provider.plan.name
}

output "plan_service_account" {
  description = "For google-github-actions/auth, to plan."
  value       = google_service_account.plan.email
}
