output "workload_identity_provider" {
  description = "For google-github-actions/auth, to deploy."
  value       = module.ci.workload_identity_provider
}

output "service_account" {
  description = "For google-github-actions/auth, to deploy."
  value       = module.ci.service_account
}

output "plan_workload_identity_provider" {
  description = "For google-github-actions/auth, to plan."
  value       = module.ci.plan_workload_identity_provider
}

output "plan_service_account" {
  description = "For google-github-actions/auth, to plan."
  value       = module.ci.plan_service_account
}
