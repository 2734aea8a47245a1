# The identities with which workflows on GitHub deploy and plan. There is no key: GitHub signs who runs, and Google gives a
# token for an hour.

resource "google_project_service" "required" {
  for_each           = toset(["cloudresourcemanager.googleapis.com", "iam.googleapis.com", "iamcredentials.googleapis.com", "sts.googleapis.com"])
  project            = var.project
  service            = each.value
  disable_on_destroy = false
}

resource "google_iam_workload_identity_pool" "ci" {
  project                   = var.project
  workload_identity_pool_id = "ragbase-ci"
  display_name              = "ragbase: CI"
  depends_on                = [google_project_service.required]
}

# Everybody on GitHub gets tokens of this issuer. The conditions are what keeps them out. They compare numbers: a name that
# somebody gives up can be taken by another
# (https://github.com/google-github-actions/auth/blob/main/docs/SECURITY_CONSIDERATIONS.md).
#
# Events are listed: with pull_request_target, which runs for strangers, ref is the branch, too
# (https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request_target).
locals {
  issuer     = "https://token.actions.githubusercontent.com"
  repository = "assertion.repository_id == \"${var.repository_id}\" && assertion.repository_owner_id == \"${var.repository_owner_id}\""
  on_branch  = "assertion.ref == \"refs/heads/${var.branch}\""
}

resource "google_iam_workload_identity_pool_provider" "github" {
  #checkov:skip=CKV_GCP_125:The condition compares repository, ref and event, as a repository can give sub another form
  project                            = var.project
  workload_identity_pool_id          = google_iam_workload_identity_pool.ci.workload_identity_pool_id
  workload_identity_pool_provider_id = "github"
  display_name                       = "GitHub: deploys"
  attribute_mapping = {
    "google.subject" = "assertion.sub"
    "attribute.may"  = "'deploy'"
  }
  attribute_condition = "${local.repository} && ${local.on_branch} && assertion.event_name in [\"push\", \"schedule\", \"workflow_dispatch\"]"
  oidc {
    issuer_uri = local.issuer
  }
}

# A pull request of a fork gets no token, as GitHub gives its workflow no right to ask for one
# (https://docs.github.com/en/actions/reference/security/oidc).
resource "google_iam_workload_identity_pool_provider" "plan" {
  #checkov:skip=CKV_GCP_125:The condition compares repository, ref and event, as a repository can give sub another form
  project                            = var.project
  workload_identity_pool_id          = google_iam_workload_identity_pool.ci.workload_identity_pool_id
  workload_identity_pool_provider_id = "github-plan"
  display_name                       = "GitHub: plans"
  attribute_mapping = {
    "google.subject" = "assertion.sub"
    "attribute.may"  = "'plan'"
  }
  attribute_condition = "${local.repository} && (assertion.event_name == \"pull_request\" || ${local.on_branch} && assertion.event_name in [\"schedule\", \"workflow_dispatch\"])"
  oidc {
    issuer_uri = local.issuer
  }
}

resource "google_service_account" "ci" {
  project      = var.project
  account_id   = "ragbase-ci"
  display_name = "ragbase: deploys from CI"
  depends_on   = [google_project_service.required]
}

resource "google_service_account" "plan" {
  project      = var.project
  account_id   = "ragbase-plan"
  display_name = "ragbase: plans in CI, and changes nothing"
  depends_on   = [google_project_service.required]
}

# What a provider maps decides, not what GitHub says: both are in one pool.
resource "google_service_account_iam_member" "ci" {
  service_account_id = google_service_account.ci.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "principalSet://iam.googleapis.com/${google_iam_workload_identity_pool.ci.name}/attribute.may/deploy"
}

resource "google_service_account_iam_member" "plan" {
  service_account_id = google_service_account.plan.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "principalSet://iam.googleapis.com/${google_iam_workload_identity_pool.ci.name}/attribute.may/plan"
}
