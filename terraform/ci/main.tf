# It has a state of its own, so that CI can destroy an environment without the right that it does it with (docs/deploy.md).

provider "google" {
  project = var.project
}

module "ci" {
  source     = "../modules/ci"
  project    = var.project
  repository = var.repository
  branch     = var.branch
}
