# The Weaviate for the chunks. Set exactly one of the two: a hosted Weaviate, or one on a VM in this project.

variable "weaviate" {
  description = "A hosted Weaviate, such as Weaviate Cloud, or one that is reached through a private network: its URLs, the id of a secret of the project that already contains its key, and the network and subnetwork."
  type = object({
    url      = string
    grpc_url = optional(string, "")
    secret   = optional(string)
    network  = optional(object({ network = string, subnetwork = string }))
  })
  default = null
  validation {
    condition     = alltrue([for url in compact([try(var.weaviate.url, ""), try(var.weaviate.grpc_url, "")]) : can(regex("^https://", url)) || (can(regex("^http://", url)) && try(var.weaviate.network, null) != null)])
    error_message = "weaviate: each URL must start with https://, because each request contains the key. Only in a private network (weaviate.network) may it start with http://."
  }
  validation {
    condition     = (var.weaviate == null) != (var.weaviate_vm == null)
    error_message = "Set weaviate = { url = \"https://…\" } for a hosted Weaviate, or weaviate_vm = {} for one in this project. Set exactly one of them."
  }
}

variable "weaviate_vm" {
  description = "A Weaviate on a private VM in this project (modules/weaviate)."
  type = object({
    zone              = optional(string)
    machine_type      = optional(string, "e2-standard-2")
    disk_gib          = optional(number, 50)
    disk              = optional(string)
    snapshot_location = optional(string)
    version           = optional(string, "1.39.0")
    digest            = optional(string)
    operators         = optional(list(string), [])
    ssh               = optional(bool, false)
  })
  default = null
  validation {
    condition     = try(var.weaviate_vm.digest, null) == null || can(regex("^sha256:[0-9a-f]{64}$", var.weaviate_vm.digest))
    error_message = "weaviate_vm.digest must be sha256: and 64 hex digits (weaviate_digest in terraform/envs/variables.tf says how you find it)."
  }
  validation {
    condition     = try(var.weaviate_vm.ssh, false) == false || length(try(var.weaviate_vm.operators, [])) > 0
    error_message = "weaviate_vm.ssh is for the operators, and there are none. Set weaviate_operators, too."
  }
}
