# The scheduled sources (docs/sources.md).

variable "sources" {
  description = "The scheduled sources by name. Their keys are those of sources.toml (docs/sources.md)."
  type = map(object({
    address       = string
    prefix        = optional(string)
    delete        = optional(bool, false)
    force         = optional(bool, false)
    every_minutes = optional(number, 1440)
  }))
  default = {}
  validation {
    condition     = alltrue([for name in keys(var.sources) : can(regex("^[a-z0-9][a-z0-9-]{0,39}$", name))])
    error_message = "sources: a name has 1 to 40 lower-case letters, digits and hyphens."
  }
  validation {
    condition     = alltrue([for source in values(var.sources) : can(regex("^(s3|gs|https?)://.", source.address))])
    error_message = "sources: an address begins with s3://, gs:// or https://."
  }
  validation {
    condition     = alltrue([for source in values(var.sources) : source.every_minutes >= 1 && source.every_minutes <= 527040 && floor(source.every_minutes) == source.every_minutes])
    error_message = "sources: every_minutes is a whole number from 1 to 527040, a year."
  }
}

variable "s3" {
  description = "For sources at s3://: the ids of two secrets of this project that have a value, the region of the buckets, and the endpoint of a server that is not Amazon's."
  type        = object({ access_key_id = string, secret_access_key = string, region = optional(string), endpoint = optional(string) })
  default     = null
  validation {
    condition     = try(var.s3.access_key_id != var.s3.secret_access_key, true)
    error_message = "s3: access_key_id and secret_access_key are the ids of two secrets in Secret Manager, not values."
  }
}
