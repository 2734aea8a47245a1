# Given in terraform.tfvars, of which example.tfvars is one; the archives by scripts/deploy.

variable "project" {
  type = string
}

variable "archives" {
  type = map(object({ path = string, sha256 = string }))
}

variable "api_callers" {
  description = "Who may ask, as group:readers@example.com."
  type        = list(string)
  default     = []
}

variable "api_public" {
  description = "Whether anybody may ask."
  type        = bool
  default     = false
}

variable "weaviate" {
  description = "A hosted Weaviate. Without it, prod has one on a VM."
  type        = object({ url = string, grpc_url = optional(string, ""), secret = optional(string) })
  default     = null
}

variable "cors_origins" {
  description = "Origins of the pages from which browsers upload."
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
    error_message = "alert_emails: production tells somebody when it fails. Name at least one address."
  }
}

variable "budget" {
  description = "What a month may cost (docs/deploy.md has an estimate)."
  type        = object({ billing_account = string, amount = number, currency = optional(string, "USD") })
}

variable "protect" {
  description = "Off only to destroy what holds data (docs/deploy.md)."
  type        = bool
  default     = true
}
