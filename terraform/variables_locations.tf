# Where everything is, how long it is kept there, and with which key.

locals {
  # Google Cloud names a region for its continent and the direction there (https://cloud.google.com/compute/docs/regions-zones).
  region_form = "^(africa|asia|australia|europe|me|northamerica|southamerica|us)-(central|(north|south)?(east|west)|north|south)[0-9]{1,2}$"

  # Multi-regions and the pairs of regions that have a name.
  wide_bucket_locations   = ["ASIA", "EU", "US", "ASIA1", "EUR4", "EUR5", "EUR7", "EUR8", "NAM4"]
  wide_database_locations = ["eur3", "nam5", "nam7"]
}

variable "region" {
  description = "The region for everything that runs, and for what is stored unless it has a location of its own."
  type        = string
  default     = "europe-west1"
  validation {
    condition     = can(regex(local.region_form, var.region))
    error_message = "region must be a single region of Google Cloud such as europe-west1, not a multi-region: https://cloud.google.com/run/docs/locations."
  }
}

variable "bucket" {
  description = "The bucket for documents: where it is (a region, or EU, US or ASIA), how many days it keeps old versions and deleted objects, and the origins of web pages that upload."
  type = object({
    name             = optional(string)
    location         = optional(string)
    noncurrent_days  = optional(number, 30)
    soft_delete_days = optional(number, 7)
    cors_origins     = optional(list(string), [])
  })
  default = {}
  validation {
    condition     = var.bucket.location == null || can(regex(local.region_form, lower(var.bucket.location))) || contains(local.wide_bucket_locations, upper(coalesce(var.bucket.location, "-")))
    error_message = "bucket.location must be a region such as europe-west1, or one of ${join(", ", local.wide_bucket_locations)}: https://cloud.google.com/storage/docs/locations."
  }
  validation {
    condition     = var.bucket.noncurrent_days >= 1 && floor(var.bucket.noncurrent_days) == var.bucket.noncurrent_days
    error_message = "bucket.noncurrent_days must be a whole number, at least 1. A job may still read an old version."
  }
  validation {
    condition     = var.bucket.soft_delete_days == 0 || (var.bucket.soft_delete_days >= 7 && var.bucket.soft_delete_days <= 90)
    error_message = "bucket.soft_delete_days must be 0 (off) or from 7 to 90, the limits of Cloud Storage."
  }
  validation {
    condition     = alltrue([for origin in var.bucket.cors_origins : can(regex("^https?://[^*/]+$", origin))])
    error_message = "bucket.cors_origins must be exact origins such as https://docs.example.com, without a path and without *."
  }
}

variable "database" {
  description = "The Firestore database: its location, whether it is possible to restore any minute of the last 7 days, and its id if that is not the name: a restored one (docs/restore.md)."
  type        = object({ name = optional(string), location = optional(string), point_in_time_recovery = optional(bool, true), backup_days = optional(number, 7) })
  default     = {}
  validation {
    condition     = var.database.name == null || can(regex("^[a-z][a-z0-9-]{2,61}[a-z0-9]$", var.database.name))
    error_message = "database.name must have 4 to 63 lower-case letters, digits and hyphens, and must begin with a letter."
  }
  validation {
    condition     = var.database.location == null || can(regex(local.region_form, var.database.location)) || contains(local.wide_database_locations, coalesce(var.database.location, "-"))
    error_message = "database.location must be a region such as europe-west1, or one of ${join(", ", local.wide_database_locations)}: https://cloud.google.com/firestore/docs/locations. The multi-regions of buckets, such as EU, are none of Firestore's."
  }
  validation {
    condition     = var.database.backup_days >= 0 && var.database.backup_days <= 98 && floor(var.database.backup_days) == var.database.backup_days
    error_message = "database.backup_days must be a whole number from 0 (no backups) to 98: Firestore keeps a backup for at most 14 weeks (https://cloud.google.com/firestore/docs/backups)."
  }
}

variable "kms_key" {
  description = "Your own key for the bucket, topics, database, secrets and disk, in the form projects/…/cryptoKeys/…. The default is Google's keys."
  type        = string
  default     = null
  validation {
    condition     = var.kms_key == null || can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.kms_key))
    error_message = "kms_key must be a key's full name, projects/P/locations/L/keyRings/R/cryptoKeys/K."
  }
  # A secret's replica, a database and a bucket take only a key of their own location
  # (https://cloud.google.com/secret-manager/docs/cmek, https://cloud.google.com/firestore/docs/cmek,
  # https://cloud.google.com/storage/docs/encryption/customer-managed-keys). The replica and the disk are in `region`.
  validation {
    condition     = var.kms_key == null || try(split("/", var.kms_key)[3] == var.region, true)
    error_message = "kms_key must be in ${var.region}, where the secrets and the disk are, and not in ${try(split("/", var.kms_key)[3], "")}: Google takes no key of another location."
  }
  validation {
    condition     = var.kms_key == null || alltrue([for location in [var.bucket.location, var.database.location] : lower(coalesce(location, var.region)) == var.region])
    error_message = "With kms_key, the bucket and the database must be in ${var.region}, too: leave out their locations. One key cannot be in two places, and Google takes no key of another location."
  }
}
