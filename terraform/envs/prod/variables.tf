# Set these in terraform.tfvars; example.tfvars is an example. scripts/deploy passes the archives.

variable "project" {
  type = string
}

variable "region" {
  description = "The region for everything that runs or is stored."
  type        = string
  default     = "europe-west1"
}

variable "archives" {
  type = map(object({ path = string, sha256 = string }))
}

variable "api_callers" {
  description = "Who may call the api, for example group:readers@example.com."
  type        = list(string)
  default     = []
}

variable "api_public" {
  description = "Whether everybody may call the api."
  type        = bool
  default     = false
}

variable "api_sign_in" {
  description = "Whether those whom IAM lets through also have to sign in."
  type        = bool
  default     = false
}

variable "api_password" {
  description = "Whether the secret ragbase-password-hash has a value (docs/security.md)."
  type        = bool
  default     = false
}

variable "weaviate_digest" {
  description = "The digest of Weaviate's image, so that the VM takes no other (docs/deploy.md, The image of Weaviate)."
  type        = string
  default     = null
}

variable "weaviate_operators" {
  description = "Who may open a tunnel to Weaviate on its VM, for example group:operators@example.com (docs/operate.md)."
  type        = list(string)
  default     = []
}

variable "weaviate" {
  description = "A hosted Weaviate. Without it, prod has its own on a VM."
  type        = object({ url = string, grpc_url = optional(string, ""), secret = optional(string) })
  default     = null
}

variable "cors_origins" {
  description = "The origins of web pages that upload documents."
  type        = list(string)
  default     = []
}

variable "kms_key" {
  type    = string
  default = null
}

variable "alert_emails" {
  type = list(string)
  validation {
    condition     = length(var.alert_emails) > 0
    error_message = "alert_emails: somebody must get the alerts of prod. Give at least one address."
  }
}

variable "budget" {
  description = "The monthly budget (docs/deploy.md has an estimate)."
  type        = object({ billing_account = string, amount = number, currency = optional(string) })
}

variable "protect" {
  description = "Whether the resources with data refuse to be deleted. Set it to false only to destroy them (docs/deploy.md)."
  type        = bool
  default     = true
}

variable "sources" {
  description = "The scheduled sources by name (docs/sources.md)."
  type = map(object({
    address       = string
    prefix        = optional(string)
    delete        = optional(bool, false)
    force         = optional(bool, false)
    every_minutes = optional(number, 1440)
  }))
  default = {}
}

variable "s3" {
  description = "For sources at s3://: the ids of the secrets with the key, and where the buckets are (docs/deploy.md)."
  type        = object({ access_key_id = string, secret_access_key = string, region = optional(string), endpoint = optional(string) })
  default     = null
}
