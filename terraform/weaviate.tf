# The Weaviate that the functions call: a hosted one, or one on a private VM in this project.

module "weaviate" {
  source = "./modules/weaviate"
  count  = var.weaviate_vm == null ? 0 : 1

  project      = var.project
  region       = var.region
  zone         = coalesce(var.weaviate_vm.zone, "${var.region}-b")
  name         = "${var.name}-weaviate"
  labels       = var.labels
  machine_type = var.weaviate_vm.machine_type
  disk_gib     = var.weaviate_vm.disk_gib
  image_tag    = var.weaviate_vm.version
  image_digest = var.weaviate_vm.digest
  secret       = local.secret_ids.weaviate
  operators    = var.weaviate_vm.operators
  kms_key      = var.kms_key
  keep         = var.protect

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent, google_secret_manager_secret.this]
}

locals {
  weaviate = {
    url      = var.weaviate == null ? one(module.weaviate[*].url) : var.weaviate.url
    grpc_url = var.weaviate == null ? one(module.weaviate[*].grpc_url) : var.weaviate.grpc_url
    network  = one(module.weaviate[*].network)
  }
}
