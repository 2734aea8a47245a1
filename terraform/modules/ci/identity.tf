# The identity with which a workflow on GitHub deploys. There is no key: GitHub signs who runs, and Google gives a token for an
# hour.

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

# Everybody on GitHub gets tokens of this issuer. The condition is what keeps them out.
resource "google_iam_workload_identity_pool_provider" "github" {
  #checkov:skip=CKV_GCP_125:The condition compares repository and ref, as a repository can give sub another form
  project                            = var.project
  workload_identity_pool_id          = google_iam_workload_identity_pool.ci.workload_identity_pool_id
  workload_identity_pool_provider_id = "github"
  display_name                       = "GitHub"
  attribute_mapping = {
    "google.subject"       = "assertion.sub"
    "attribute.repository" = "assertion.repository"
  }
  attribute_condition = "assertion.repository == \"${var.repository}\" && assertion.ref == \"refs/heads/${var.branch}\""
  oidc {
    issuer_uri = "https://token.actions.githubusercontent.com"
  }
}

resource "google_service_account" "ci" {
  project      = var.project
  account_id   = "ragbase-ci"
  display_name = "ragbase: deploys from CI"
  depends_on   = [google_project_service.required]
}

resource "google_service_account_iam_member" "ci" {
  service_account_id = google_service_account.ci.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "principalSet://iam.googleapis.com/${google_iam_workload_identity_pool.ci.name}/attribute.repository/${var.repository}"
}
