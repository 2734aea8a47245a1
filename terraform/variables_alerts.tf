# Who is told, and when.

variable "alert_emails" {
  description = "Who gets the alerts and the budget's warnings. Without one, alerts are only seen in the console."
  type        = list(string)
  default     = []
  validation {
    condition     = alltrue([for email in var.alert_emails : can(regex("^[^@ ]+@[^@ ]+$", email))])
    error_message = "alert_emails are addresses such as oncall@example.com."
  }
}

variable "alert_when" {
  description = "Limits of the alerts: share of documents that fail, seconds of queries and of waiting messages, share of queries that fail."
  type = object({
    failed_share      = optional(number, 0.05)
    query_p95_seconds = optional(number, 3)
    query_error_share = optional(number, 0.02)
    oldest_seconds    = optional(map(number), {})
  })
  default = {}
}

variable "budget" {
  description = "A monthly amount, with warnings at half, 90 % and all of it. Needs billing.budgets.create on the billing account."
  type        = object({ billing_account = string, amount = number, currency = optional(string, "USD") })
  default     = null
  validation {
    condition     = var.budget == null || can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.budget.billing_account))
    error_message = "budget.billing_account looks like 012345-6789AB-CDEF01 (gcloud billing accounts list)."
  }
  validation {
    condition     = var.budget == null || try(var.budget.amount > 0, false)
    error_message = "budget.amount is what a month may cost, above 0."
  }
}
