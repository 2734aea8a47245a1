# What only prod has, beside the variables that every environment has.

variable "api_public" {
  description = "Whether everybody may call the api."
  type        = bool
  default     = false
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
  description = "The monthly budget (docs/costs.md has an estimate)."
  type        = object({ billing_account = string, amount = number, currency = optional(string) })
}

variable "protect" {
  description = "Whether the resources with data refuse to be deleted. Set it to false only to destroy them (docs/deploy.md)."
  type        = bool
  default     = true
}

variable "load_balancer" {
  description = "A load balancer with Cloud Armor in front of the api, with its domain (docs/deploy.md)."
  type = object({
    domain              = string
    requests_per_minute = optional(number, 300)
    iap_members         = optional(list(string), [])
  })
  default = null
}

locals {
  # settings.tf has those of every environment.
  own_settings = {
    api_public    = var.api_public
    cors_origins  = var.cors_origins
    kms_key       = var.kms_key
    alert_emails  = var.alert_emails
    budget        = var.budget
    protect       = var.protect
    load_balancer = var.load_balancer
  }
}
