# Where the chunks are kept: a Weaviate that somebody else hosts, or one in this project. Exactly one of the two.

variable "weaviate" {
  description = "A hosted Weaviate: its URLs and, if its key is in a secret of the project already, that secret's id."
  type = object({
    url      = string
    grpc_url = optional(string, "")
    secret   = optional(string)
  })
  default = null
  validation {
    condition     = var.weaviate == null || can(regex("^https://", var.weaviate.url))
    error_message = "weaviate.url is an https address: the key goes with every request."
  }
  validation {
    condition     = (var.weaviate == null) != (var.weaviate_vm == null)
    error_message = "Set weaviate = { url = \"https://…\" } for a hosted Weaviate, or weaviate_vm = {} for one in this project: one of them."
  }
}

variable "weaviate_vm" {
  description = "A Weaviate on a private VM of this project (modules/weaviate)."
  type = object({
    zone         = optional(string)
    machine_type = optional(string, "e2-standard-2")
    disk_gib     = optional(number, 50)
    version      = optional(string, "1.39.0")
  })
  default = null
}
