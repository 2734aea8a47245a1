# The Weaviate that the functions call: a hosted one, or one on a private VM in this project.

module "weaviate" {
  source = "./modules/weaviate"
  count  = var.weaviate_vm == null ? 0 : 1

  project           = var.project
  region            = var.region
  zone              = coalesce(var.weaviate_vm.zone, "${var.region}-b")
  name              = "${var.name}-weaviate"
  labels            = var.labels
  machine_type      = var.weaviate_vm.machine_type
  disk_gib          = var.weaviate_vm.disk_gib
  disk_name         = var.weaviate_vm.disk
  snapshot_location = var.weaviate_vm.snapshot_location
  image_tag         = var.weaviate_vm.version
  image_digest      = var.weaviate_vm.digest
  secret            = local.secret_ids.weaviate
  operators         = var.weaviate_vm.operators
  ssh               = var.weaviate_vm.ssh
  kms_key           = var.kms_key
  keep              = var.protect

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent, google_secret_manager_secret.this]
}

locals {
  # Weaviate Cloud has gRPC at an address of its own (weaviate-client: connect_to_weaviate_cloud). Elsewhere it is port 50051.
  weaviate_cloud = try(regex("^https://([^/:]+[.]weaviate[.]cloud)/?$", var.weaviate.url)[0], "")

  weaviate = var.weaviate == null ? {
    url      = one(module.weaviate[*].url)
    grpc_url = one(module.weaviate[*].grpc_url)
    network  = one(module.weaviate[*].network)
    } : {
    url      = var.weaviate.url
    grpc_url = var.weaviate.grpc_url == "" && local.weaviate_cloud != "" ? "https://grpc-${local.weaviate_cloud}:443" : var.weaviate.grpc_url
    network  = var.weaviate.network
  }
}
