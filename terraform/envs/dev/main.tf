# For experiments: small, no running instances without requests, and easy to destroy.

provider "google" {
  project = var.project
}

module "ragbase" {
  source = "../.."

  project     = var.project
  region      = var.region
  archives    = var.archives
  labels      = { application = "ragbase", environment = "dev" }
  protect     = false
  api_callers = var.api_callers

  api_sign_in  = var.api_sign_in
  api_password = var.api_password

  weaviate    = var.weaviate
  weaviate_vm = var.weaviate == null ? { machine_type = "e2-medium", disk_gib = 20, operators = var.weaviate_operators, digest = var.weaviate_digest } : null

  sources = var.sources
  s3      = var.s3

  bucket   = { noncurrent_days = 7, soft_delete_days = 7 }
  database = { point_in_time_recovery = false, backup_days = 0 }

  functions = {
    fast_lane  = { max_instances = 3 }
    heavy_lane = { max_instances = 2 }
    api        = { max_instances = 2 }
  }
}
