# Who may call the api. Only its lane's delivery account may call each other function (modules/lane), and only the
# scheduler's account may call the janitor and the sources (scheduler.tf, sources.tf).

locals {
  api_callers = var.api_public ? ["allUsers"] : concat(var.api_callers, local.uses_iap ? [local.agents.iap] : [])

  # Only where IAM asks, the api need not ask again.
  sign_in = var.api_public || var.api_sign_in ? "required" : "iam"
}

resource "google_cloud_run_v2_service_iam_member" "api" {
  for_each = toset(local.api_callers)
  project  = var.project
  location = var.region
  name     = module.function["api"].service
  role     = "roles/run.invoker"
  member   = each.value
}
