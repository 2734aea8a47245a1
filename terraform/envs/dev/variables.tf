# Given in terraform.tfvars, of which example.tfvars is one; the archives by scripts/deploy.

variable "project" {
  type = string
}

variable "archives" {
  type = map(object({ path = string, sha256 = string }))
}

variable "api_callers" {
  description = "Who may ask, as user:me@example.com."
  type        = list(string)
  default     = []
}

variable "weaviate" {
  description = "A hosted Weaviate. Without it, dev has a small one of its own."
  type        = object({ url = string, grpc_url = optional(string, ""), secret = optional(string) })
  default     = null
}
