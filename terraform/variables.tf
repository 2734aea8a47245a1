# What an environment decides. Defaults are the safe ones: nothing is public, and the data is protected.

variable "project" {
  description = "The id of the Google Cloud project that the environment has for itself."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "project is a project's id (6 to 30 lower-case letters, digits and hyphens), not its name or number."
  }
}

variable "region" {
  description = "Where everything runs and is kept."
  type        = string
  default     = "europe-west1"
  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "region is a single region such as europe-west1. Functions and disks live in no multi-region."
  }
}

variable "name" {
  description = "What every resource's name begins with."
  type        = string
  default     = "ragbase"
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,11}[a-z0-9]$", var.name))
    error_message = "name has 4 to 13 lower-case letters, digits and hyphens: an account's id, NAME-to-dead-letter, has at most 30."
  }
}

variable "labels" {
  description = "Labels of every resource that takes some, as for the bill."
  type        = map(string)
  default     = {}
}

variable "protect" {
  description = "Whether what holds data refuses to be deleted. Turn it off, apply, and only then destroy."
  type        = bool
  default     = true
}

variable "archives" {
  description = "Each function's archive and its sha256, as scripts/stage-functions makes and scripts/deploy passes them."
  type        = map(object({ path = string, sha256 = string }))
  validation {
    condition     = alltrue([for archive in values(var.archives) : can(regex("^[0-9a-f]{64}$", archive.sha256))])
    error_message = "archives: sha256 is 64 hex digits. Let scripts/deploy pass them; it gets them from scripts/stage-functions."
  }
  validation {
    condition     = length(setsubtract(keys(local.functions), keys(var.archives))) == 0
    error_message = "archives lacks ${join(", ", setsubtract(keys(local.functions), keys(var.archives)))}. scripts/stage-functions makes one for each folder of functions/."
  }
}

variable "functions" {
  description = "What a function gets that differs from functions.tf. Time-outs are not here: deadlines depend on them."
  type = map(object({
    memory_mib    = optional(number)
    cpu           = optional(number)
    concurrency   = optional(number)
    min_instances = optional(number)
    max_instances = optional(number)
  }))
  default = {}
  validation {
    condition     = length(setsubtract(keys(var.functions), keys(local.function_defaults))) == 0
    error_message = "functions: there is no ${join(", ", setsubtract(keys(var.functions), keys(local.function_defaults)))}. There are ${join(", ", keys(local.function_defaults))}."
  }
}

variable "settings" {
  description = "Settings of ragbase beyond those that Terraform sets, as { chunk_size = \"800\" } (docs/configuration.md)."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for name in keys(var.settings) : can(regex("^[a-z][a-z_]*$", name))])
    error_message = "settings are named as in docs/configuration.md: chunk_size, not RAGBASE_CHUNK_SIZE."
  }
  validation {
    condition     = length(setintersection([for name in keys(var.settings) : "RAGBASE_${upper(name)}"], concat(keys(local.settings), ["RAGBASE_PROJECT", "RAGBASE_WEAVIATE_URL", "RAGBASE_WEAVIATE_GRPC_URL"]))) == 0
    error_message = "settings must not hold what Terraform sets itself: project, bucket, database, topics, profile, Weaviate's addresses, log level and PDF limits."
  }
  validation {
    condition     = alltrue([for name in keys(var.settings) : !endswith(name, "_key") && !endswith(name, "_hash")])
    error_message = "settings end in the state, where a secret must not be: add it as a version of its secret (docs/deploy.md)."
  }
}

variable "log_level" {
  description = "What the functions log. The alerts count lines of level INFO: below that they see nothing."
  type        = string
  default     = "INFO"
  validation {
    condition     = contains(["DEBUG", "INFO"], var.log_level)
    error_message = "log_level is INFO or DEBUG: alerts and dashboard count what is logged at INFO."
  }
}

variable "bucket" {
  description = "The bucket of documents: days that old versions and deleted objects are kept, and origins of browsers that upload."
  type = object({
    name             = optional(string)
    noncurrent_days  = optional(number, 30)
    soft_delete_days = optional(number, 7)
    cors_origins     = optional(list(string), [])
  })
  default = {}
  validation {
    condition     = var.bucket.noncurrent_days >= 1
    error_message = "bucket.noncurrent_days is at least 1: an old version must outlive the job that reads it."
  }
  validation {
    condition     = var.bucket.soft_delete_days == 0 || (var.bucket.soft_delete_days >= 7 && var.bucket.soft_delete_days <= 90)
    error_message = "bucket.soft_delete_days is 0 (off) or 7 to 90, as Cloud Storage allows."
  }
  validation {
    condition     = alltrue([for origin in var.bucket.cors_origins : can(regex("^https?://[^*/]+$", origin))])
    error_message = "bucket.cors_origins are exact origins such as https://docs.example.com, without a path and without *."
  }
}

variable "database" {
  description = "The Firestore database: its location, and whether each of its last 7 days can be restored to the minute."
  type        = object({ location = optional(string), point_in_time_recovery = optional(bool, true) })
  default     = {}
}

variable "kms_key" {
  description = "An own key for bucket, topics, database, secrets and disk, as projects/…/cryptoKeys/…; Google's keys without it."
  type        = string
  default     = null
  validation {
    condition     = var.kms_key == null || can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.kms_key))
    error_message = "kms_key is a key's full name, projects/P/locations/L/keyRings/R/cryptoKeys/K."
  }
}

variable "api_public" {
  description = "Whether anybody may call the api without a Google identity."
  type        = bool
  default     = false
}

variable "api_callers" {
  description = "Who may call the api while it is not public, as group:readers@example.com."
  type        = list(string)
  default     = []
  validation {
    condition     = alltrue([for caller in var.api_callers : can(regex("^(user|group|serviceAccount|domain|principal|principalSet):.+", caller))])
    error_message = "api_callers are identities such as group:readers@example.com. To open the api to all, set api_public."
  }
}
