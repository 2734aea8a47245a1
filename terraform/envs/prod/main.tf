# For real users: the api always runs, somebody gets the alerts, and nobody can destroy the data by mistake.

# The Budget API needs a quota project. With this it is the environment's project, no matter who applies.
provider "google" {
  project               = var.project
  billing_project       = var.project
  user_project_override = true
}

locals {
  functions = {
    api = { min_instances = 1 }
  }
}

module "ragbase" {
  source = "../.."

  project     = var.project
  region      = var.region
  archives    = var.archives
  labels      = { application = "ragbase", environment = "prod" }
  protect     = var.protect
  kms_key     = var.kms_key
  api_public  = var.api_public
  api_callers = var.api_callers

  api_sign_in  = var.api_sign_in
  api_password = var.api_password

  load_balancer = var.load_balancer

  weaviate = var.weaviate
  weaviate_vm = var.weaviate != null ? null : {
    machine_type = coalesce(var.weaviate_vm.machine_type, "e2-highmem-2")
    disk_gib     = coalesce(var.weaviate_vm.disk_gib, 100)
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

  bucket   = { location = var.locations.bucket, noncurrent_days = 90, soft_delete_days = 30, cors_origins = var.cors_origins }
  database = { name = var.database, location = var.locations.database, point_in_time_recovery = true, backup_days = 30 }

  settings    = var.settings
  more_models = var.more_models
  log_level   = var.log_level
  alert_when  = var.alert_when

  quota = var.quota
  functions = {
    for name in setunion(keys(local.functions), keys(var.functions)) :
    name => merge(try(local.functions[name], {}), { for limit, value in try(var.functions[name], {}) : limit => value if value != null })
  }

  alert_emails = var.alert_emails
  budget       = var.budget
}
