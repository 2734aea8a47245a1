# Set these in terraform.tfvars; example.tfvars is an example. scripts/deploy passes the archives.

variable "project" {
  type = string
}

variable "archives" {
  type = map(object({ path = string, sha256 = string }))
}

variable "api_callers" {
  description = "Who may call the api, for example user:me@example.com."
  type        = list(string)
  default     = []
}

variable "weaviate" {
  description = "A hosted Weaviate. Without it, dev has its own small one on a VM."
  type        = object({ url = string, grpc_url = optional(string, ""), secret = optional(string) })
  default     = null
}
