# It has a state of its own, so that CI can destroy an environment without the right that it does it with (docs/deploy.md).

provider "google" {
  project = var.project
}

module "ci" {
  source              = "../modules/ci"
  project             = var.project
  repository_id       = var.repository_id
  repository_owner_id = var.repository_owner_id
  branch              = var.branch
  state_bucket        = coalesce(var.state_bucket, "${var.project}-terraform-state")
  archives_bucket     = "${var.project}-ragbase-functions"
}
