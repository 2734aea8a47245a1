variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "name" {
  description = "The function's name, and its Cloud Run service's."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,61}[a-z0-9]$", var.name))
    error_message = "name has at most 63 lower-case letters, digits and hyphens; Cloud Run takes no underscores."
  }
}

variable "entry_point" {
  description = "The Python function in main.py."
  type        = string
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "account" {
  description = "The e-mail address of the account that the function runs under."
  type        = string
}

variable "public" {
  description = "Whether requests from outside of the project reach it. Who may call it is another matter."
  type        = bool
  default     = false
}

variable "limits" {
  description = "MiB, CPUs, seconds, requests at a time in one instance, and instances."
  type = object({
    memory_mib    = number
    cpu           = number
    timeout       = number
    concurrency   = number
    min_instances = optional(number, 0)
    max_instances = number
  })
  validation {
    condition     = var.limits.concurrency == 1 || var.limits.cpu >= 1
    error_message = "limits: an instance with less than one CPU takes one request at a time. Set cpu to 1, or concurrency to 1."
  }
  validation {
    condition     = var.limits.memory_mib >= 512 && var.limits.memory_mib <= 32768
    error_message = "limits.memory_mib is 512 to 32768: the clients alone take 110, and Cloud Run offers no more."
  }
  validation {
    # Cloud Run's own table.
    condition     = var.limits.cpu >= (var.limits.memory_mib > 24576 ? 8 : var.limits.memory_mib > 16384 ? 6 : var.limits.memory_mib > 8192 ? 4 : var.limits.memory_mib > 4096 ? 2 : 0)
    error_message = "limits: more than 4096 MiB take 2 CPUs, more than 8192 take 4, more than 16384 take 6, more than 24576 take 8."
  }
  validation {
    condition     = var.limits.max_instances >= max(1, var.limits.min_instances)
    error_message = "limits.max_instances is at least 1 and not below min_instances. To stop a function, pause what calls it."
  }
  validation {
    condition     = var.limits.timeout >= 1 && var.limits.timeout <= 3600
    error_message = "limits.timeout is 1 to 3600 seconds."
  }
}

variable "archive" {
  description = "The bucket of archives, the archive's file, and its sha256 in hex, which names it there."
  type        = object({ bucket = string, path = string, sha256 = string })
}

variable "build" {
  description = "Who builds it, as a full name, and the repository of what is built."
  type        = object({ account = string, repository = string })
}

variable "environment" {
  description = "Its settings. They are readable by whoever may see the function: no secrets."
  type        = map(string)
  default     = {}
}

variable "secrets" {
  description = "Environment variables that hold a secret: each one's id in Secret Manager."
  type        = map(string)
  default     = {}
}

variable "network" {
  description = "The network that its requests to private addresses take; all others leave as without it."
  type        = object({ network = string, subnetwork = string })
  default     = null
}
