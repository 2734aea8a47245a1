# The settings of an environment. The defaults are safe: nothing is public, and the data is protected.

variable "project" {
  description = "The id of the Google Cloud project. Each environment has its own."
  type        = string
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "project must be a project's id (6 to 30 lower-case letters, digits and hyphens), not its name or number."
  }
}

variable "name" {
  description = "The start of every resource's name."
  type        = string
  default     = "ragbase"
  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,11}[a-z0-9]$", var.name))
    error_message = "name must have 4 to 13 lower-case letters, digits and hyphens. The longest account id, NAME-to-dead-letter, can have at most 30."
  }
}

variable "labels" {
  description = "Labels for all resources that can have labels, for example to group costs in the bill."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{0,63}$", value))])
    error_message = "labels: keys and values have at most 63 lower-case letters, digits, hyphens and underscores, and a key begins with a letter (https://cloud.google.com/resource-manager/docs/labels-overview)."
  }
}

variable "protect" {
  description = "Whether the resources with data refuse to be deleted. To destroy them, first set this to false and apply."
  type        = bool
  default     = true
}

variable "archives" {
  description = "The archive of each function and its SHA-256. scripts/stage-functions makes them, and scripts/deploy passes them."
  type        = map(object({ path = string, sha256 = string }))
  validation {
    condition     = alltrue([for archive in values(var.archives) : can(regex("^[0-9a-f]{64}$", archive.sha256))])
    error_message = "archives: sha256 must be 64 hex digits. Use scripts/deploy, which passes the archives from scripts/stage-functions."
  }
  validation {
    condition     = length(setsubtract(keys(local.functions), keys(var.archives))) == 0
    error_message = "archives has no ${join(", ", setsubtract(keys(local.functions), keys(var.archives)))}. scripts/stage-functions makes one archive for each folder in functions/."
  }
}

variable "functions" {
  description = "Other limits than those in functions.tf. A timeout cannot be set here, because deadlines depend on it."
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
    error_message = "functions: there is no function ${join(", ", setsubtract(keys(var.functions), keys(local.function_defaults)))}. The functions are ${join(", ", keys(local.function_defaults))}."
  }
}

variable "quota" {
  description = "What Cloud Run lets all functions of the project use in the region. A new project has this; docs/deploy.md says how to get more."
  type        = object({ cpu = optional(number, 20), memory_gib = optional(number, 40) })
  default     = {}
  validation {
    condition     = local.demand.cpu <= var.quota.cpu && local.demand.memory_gib <= var.quota.memory_gib
    error_message = "With all instances, the functions need ${local.demand.cpu} CPUs and ${local.demand.memory_gib} GiB, but the quota is ${var.quota.cpu} and ${var.quota.memory_gib}. Lower max_instances in functions, or get more from Google (docs/deploy.md) and then set quota."
  }
}

variable "settings" {
  description = "Settings of ragbase that Terraform does not set itself, for example { chunk_size = \"800\" } (docs/configuration.md)."
  type        = map(string)
  default     = {}
  validation {
    condition     = alltrue([for name in keys(var.settings) : can(regex("^[a-z][a-z_]*$", name))])
    error_message = "settings must have the names of docs/configuration.md: chunk_size, not RAGBASE_CHUNK_SIZE."
  }
  validation {
    condition     = length(setintersection([for name in keys(var.settings) : "RAGBASE_${upper(name)}"], concat(keys(local.settings), ["RAGBASE_PROJECT", "RAGBASE_AUDIT_BUCKET", "RAGBASE_START_WAIT", "RAGBASE_WEAVIATE_URL", "RAGBASE_WEAVIATE_GRPC_URL"]))) == 0
    error_message = "settings must not contain what Terraform sets itself: project, buckets, database, topics, profile, Weaviate's addresses, start_wait, log level, PDF limits, sign-in, and trusted_proxies and public_url with a load balancer."
  }
  validation {
    condition     = alltrue([for name in keys(var.settings) : !endswith(name, "_key") && !endswith(name, "_hash")])
    error_message = "settings must not contain secrets, because the state contains the settings. Add a version to the secret in Secret Manager (docs/deploy.md)."
  }
  validation {
    condition     = !contains(["minilm", "e5"], lookup(var.settings, "embedder", "cohere"))
    error_message = "settings.embedder must be cohere, openai or vertex: minilm and e5 are models on one machine, and functions embed with a service."
  }
  validation {
    condition     = lookup(var.settings, "embedder", "cohere") != "vertex" || lookup(var.settings, "vertex_location", "") != "global"
    error_message = "settings.vertex_location must be a region, us or eu: Vertex AI has no models that embed at global."
  }
  validation {
    condition     = !contains(["anthropic", "openai", "vertex"], lookup(var.settings, "generator", "extractive")) || can(var.settings.chat_model)
    error_message = "settings.chat_model must name the model that writes, for example gemini-3.5-flash-lite with generator = \"vertex\"."
  }
}

variable "log_level" {
  description = "The log level of the functions. The alerts count log entries of level INFO."
  type        = string
  default     = "INFO"
  validation {
    condition     = contains(["DEBUG", "INFO"], var.log_level)
    error_message = "log_level must be INFO or DEBUG. The alerts and the dashboard count log entries of level INFO."
  }
}

variable "api_public" {
  description = "Whether everybody may call the api, without a Google identity. Then it answers only who signs in."
  type        = bool
  default     = false
}

variable "api_callers" {
  description = "Who may call the api if it is not public, for example group:readers@example.com."
  type        = list(string)
  default     = []
  validation {
    condition     = alltrue([for caller in var.api_callers : can(regex("^(user|group|serviceAccount|domain|principal|principalSet):.+", caller))])
    error_message = "api_callers must be identities such as group:readers@example.com. To let everybody call the api, set api_public."
  }
}

variable "api_sign_in" {
  description = "Whether those whom IAM lets through also have to sign in, with the password or an API key. A public api always asks for that."
  type        = bool
  default     = false
}

variable "api_password" {
  description = "Whether the api takes the password whose hash is in the secret NAME-password-hash (docs/access.md). API keys need no secret."
  type        = bool
  default     = false
}
