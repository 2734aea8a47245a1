# The exports of the audit log (docs/operate.md).

variable "audit_retention" {
  description = "A bucket for daily exports of the audit log: for how many days nobody can remove one, and whether that can never be taken back (locked). Without it, there are no exports."
  type        = object({ days = number, locked = optional(bool, false) })
  default     = null
  validation {
    condition     = try(var.audit_retention.days >= 1 && var.audit_retention.days <= 36500 && floor(var.audit_retention.days) == var.audit_retention.days, true)
    error_message = "audit_retention: days is a whole number from 1 to 36500, a hundred years."
  }
}
