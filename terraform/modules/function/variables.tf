variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "name" {
  description = "The name of the function and of its Cloud Run service."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,61}[a-z0-9]$", var.name))
    error_message = "name must have at most 63 lower-case letters, digits and hyphens. Cloud Run allows no underscores."
  }
}

variable "entry_point" {
  description = "The name of the Python function in main.py."
  type        = string
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "account" {
  description = "The e-mail address of the service account under which the function runs."
  type        = string
}

variable "ingress" {
  description = "Which requests reach the function: those of the internet, those of an external load balancer, or only those of the project. The caller still needs the right to call it."
  type        = string
  default     = "ALLOW_INTERNAL_ONLY"
  validation {
    condition     = contains(["ALLOW_ALL", "ALLOW_INTERNAL_AND_GCLB", "ALLOW_INTERNAL_ONLY"], var.ingress)
    error_message = "ingress must be ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB or ALLOW_INTERNAL_ONLY."
  }
}

variable "limits" {
  description = "Memory in MiB, CPUs, timeout in seconds, parallel requests in one instance, and number of instances."
  type = object({
    memory_mib    = number
    cpu           = number
    timeout       = number
    concurrency   = number
    min_instances = optional(number, 0)
    max_instances = number
  })
  # https://cloud.google.com/run/quotas#cloud_run_limits
  validation {
    condition     = var.limits.concurrency >= 1 && var.limits.concurrency <= 1000 && floor(var.limits.concurrency) == var.limits.concurrency
    error_message = "functions.${var.entry_point}.concurrency must be a whole number from 1 to 1000, the limit of Cloud Run, and is ${var.limits.concurrency}."
  }
  # CPU and memory: https://cloud.google.com/run/docs/configuring/services/cpu
  validation {
    condition     = (var.limits.cpu >= 0.08 && var.limits.cpu < 1) || contains([1, 2, 4, 6, 8], var.limits.cpu)
    error_message = "functions.${var.entry_point}.cpu must be 1, 2, 4, 6 or 8, or from 0.08 to less than 1, and is ${var.limits.cpu}."
  }
  validation {
    condition     = var.limits.concurrency == 1 || var.limits.cpu >= 1
    error_message = "functions.${var.entry_point}: an instance with less than one CPU can work on only one request at a time. Set cpu to 1, or concurrency to 1."
  }
  validation {
    condition     = var.limits.memory_mib >= 512 && var.limits.memory_mib <= 32768 && floor(var.limits.memory_mib) == var.limits.memory_mib
    error_message = "functions.${var.entry_point}.memory_mib must be a whole number from 512 to 32768. The client libraries alone need 110, and Cloud Run offers no more than 32768."
  }
  validation {
    condition     = var.limits.cpu >= (var.limits.memory_mib > 24576 ? 8 : var.limits.memory_mib > 16384 ? 6 : var.limits.memory_mib > 8192 ? 4 : var.limits.memory_mib > 4096 ? 2 : var.limits.memory_mib > 1024 ? 1 : var.limits.memory_mib > 512 ? 0.5 : 0)
    error_message = "functions.${var.entry_point}: ${var.limits.memory_mib} MiB need more than ${var.limits.cpu} CPU. More than 512 MiB need 0.5, more than 1024 need 1, more than 4096 need 2, more than 8192 need 4, more than 16384 need 6, more than 24576 need 8."
  }
  validation {
    condition     = var.limits.memory_mib >= (var.limits.cpu >= 6 ? 4096 : var.limits.cpu >= 4 ? 2048 : 0)
    error_message = "functions.${var.entry_point}: ${var.limits.cpu} CPUs need more than ${var.limits.memory_mib} MiB. 4 CPUs need 2048, 6 and 8 need 4096."
  }
  validation {
    condition     = floor(var.limits.max_instances) == var.limits.max_instances && floor(var.limits.min_instances) == var.limits.min_instances && var.limits.min_instances >= 0
    error_message = "functions.${var.entry_point}: min_instances and max_instances must be whole numbers."
  }
  validation {
    condition     = var.limits.max_instances >= max(1, var.limits.min_instances)
    error_message = "functions.${var.entry_point}.max_instances must be at least 1 and at least min_instances. To stop a function, pause its callers."
  }
  validation {
    condition     = var.limits.timeout >= 1 && var.limits.timeout <= 3600
    error_message = "functions.${var.entry_point}: timeout must be from 1 to 3600 seconds."
  }
}

variable "archive" {
  description = "The bucket for archives, the path of the archive file, and its SHA-256 in hex. The hash becomes the object's name."
  type        = object({ bucket = string, path = string, sha256 = string })
}

variable "build" {
  description = "The full name of the account that builds the function, and the repository for the image."
  type        = object({ account = string, repository = string })
}

variable "environment" {
  description = "The settings. Everybody who can see the function can read them, so they must not contain secrets."
  type        = map(string)
  default     = {}
}

variable "secrets" {
  description = "Environment variables with secrets. The value is the secret's id in Secret Manager."
  type        = map(string)
  default     = {}
}

variable "network" {
  description = "The network for requests to private addresses. Other requests do not use it."
  type        = object({ network = string, subnetwork = string })
  default     = null
}
