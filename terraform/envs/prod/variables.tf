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
