# For experiments: small, no running instances without requests, and easy to destroy.

provider "google" {
  project = var.project
}

locals {
  functions = {
    fast_lane  = { max_instances = 2 }
    heavy_lane = { max_instances = 1 }
    api        = { max_instances = 2 }
  }
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

  weaviate = var.weaviate
  weaviate_vm = var.weaviate != null ? null : {
    machine_type = coalesce(var.weaviate_vm.machine_type, "e2-medium")
    disk_gib     = coalesce(var.weaviate_vm.disk_gib, 20)
    zone         = var.weaviate_vm.zone
    operators    = var.weaviate_operators
    version      = var.weaviate_vm.version
    digest       = var.weaviate_digest
    disk         = var.weaviate_vm.disk
    ssh          = var.weaviate_vm.ssh

    snapshot_location = var.locations.snapshots
  }

  sources = var.sources
  s3      = var.s3

  audit_retention = var.audit_retention

  bucket   = { location = var.locations.bucket, noncurrent_days = 7, soft_delete_days = 7 }
  database = { name = var.database, location = var.locations.database, point_in_time_recovery = false, backup_days = 0 }

  settings    = var.settings
  more_models = var.more_models
  log_level   = var.log_level
  alert_when  = var.alert_when

  quota = var.quota
  functions = {
    for name in setunion(keys(local.functions), keys(var.functions)) :
    name => merge(try(local.functions[name], {}), { for limit, value in try(var.functions[name], {}) : limit => value if value != null })
  }
}
