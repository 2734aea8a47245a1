# Who gets alerts, and when.

variable "alert_emails" {
  description = "E-mail addresses for alerts and budget warnings. Without one, you see alerts only in the console."
  type        = list(string)
  default     = []
  validation {
    condition     = alltrue([for email in var.alert_emails : can(regex("^[^@ ]+@[^@ ]+$", email))])
    error_message = "alert_emails must be addresses such as oncall@example.com."
  }
}

variable "alert_when" {
  description = "The limits of the alerts: the share of documents that fail, the share of questions that may fail in 28 days, and how many seconds 95 % of the queries take at most and a message waits."
  type = object({
    failed_share      = optional(number, 0.05)
    query_p95_seconds = optional(number, 3)
    query_error_share = optional(number, 0.005)
    oldest_seconds    = optional(map(number), {})
  })
  default = {}
  validation {
    condition     = length(setsubtract(keys(var.alert_when.oldest_seconds), keys(local.lanes))) == 0
    error_message = "alert_when.oldest_seconds has no ${join(", ", setsubtract(keys(var.alert_when.oldest_seconds), keys(local.lanes)))}. It can have ${join(", ", keys(local.lanes))}."
  }
}

variable "budget" {
  description = "A monthly budget with warnings at 50 %, 90 % and 100 %. You need the right billing.budgets.create on the billing account. Without currency, the amount is in the account's own."
  type        = object({ billing_account = string, amount = number, currency = optional(string) })
  default     = null
  validation {
    condition     = var.budget == null || can(regex("^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", var.budget.billing_account))
    error_message = "budget.billing_account must look like 012345-6789AB-CDEF01 (see `gcloud billing accounts list`)."
  }
  validation {
    condition     = var.budget == null || try(var.budget.amount >= 1 && floor(var.budget.amount) == var.budget.amount, false)
    error_message = "budget.amount must be a whole number, at least 1. It is the budget for one month."
  }
  validation {
    # https://cloud.google.com/billing/docs/reference/budget/rest/v1/billingAccounts.budgets#notificationsrule
    condition     = var.budget == null || length(var.alert_emails) <= 5
    error_message = "A budget warns at most 5 addresses, but alert_emails has ${length(var.alert_emails)}. Use the address of a group."
  }
}
