# The Weaviate for the chunks. Set exactly one of the two: a hosted Weaviate, or one on a VM in this project.

variable "weaviate" {
  description = "A hosted Weaviate: its URLs and, if a secret in the project already contains its key, the id of that secret."
  type = object({
    url      = string
    grpc_url = optional(string, "")
    secret   = optional(string)
  })
  default = null
  validation {
    condition     = var.weaviate == null || can(regex("^https://", var.weaviate.url))
    error_message = "weaviate.url must start with https://, because each request contains the key."
  }
  validation {
    condition     = (var.weaviate == null) != (var.weaviate_vm == null)
    error_message = "Set weaviate = { url = \"https://…\" } for a hosted Weaviate, or weaviate_vm = {} for one in this project. Set exactly one of them."
  }
}

variable "weaviate_vm" {
  description = "A Weaviate on a private VM in this project (modules/weaviate)."
  type = object({
    zone         = optional(string)
    machine_type = optional(string, "e2-standard-2")
    disk_gib     = optional(number, 50)
    version      = optional(string, "1.39.0")
    operators    = optional(list(string), [])
  })
  default = null
}
