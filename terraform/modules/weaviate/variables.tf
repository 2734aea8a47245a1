variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "zone" {
  description = "Where VM and disk are. A disk is never moved to another zone: restore a snapshot there instead."
  type        = string
  validation {
    condition     = startswith(var.zone, "${var.region}-")
    error_message = "zone is one of the region, as europe-west1-b: functions reach the VM within their region."
  }
}

variable "name" {
  type = string
}

variable "labels" {
  type    = map(string)
  default = {}
}

variable "machine_type" {
  description = "A question reads every vector, 4 KB each of 1024 numbers: they should fit into memory (docs/deploy.md)."
  type        = string
}

variable "disk_gib" {
  type = number
  validation {
    condition     = var.disk_gib >= 10 && floor(var.disk_gib) == var.disk_gib
    error_message = "disk_gib is a whole number from 10 on. It can grow later, never shrink."
  }
}

variable "image_tag" {
  description = "The version of Weaviate."
  type        = string
  validation {
    condition     = can(regex("^[0-9]+\\.[0-9]+\\.[0-9]+$", var.image_tag))
    error_message = "version is a full version such as 1.39.0: another tag may be another Weaviate after the next start."
  }
}

variable "secret" {
  description = "The id of the secret with the API key."
  type        = string
}

variable "kms_key" {
  type    = string
  default = null
}

variable "keep" {
  description = "Whether the disk refuses to be destroyed, and leaves a last snapshot where it is destroyed all the same."
  type        = bool
}

variable "cidr" {
  description = "A range of private addresses that no network connected to this one uses."
  type        = string
  default     = "10.61.0.0/22"
  validation {
    condition     = can(cidrhost(var.cidr, 0)) && try(tonumber(split("/", var.cidr)[1]) <= 22, false)
    error_message = "cidr is a range of at least 1024 addresses, as 10.61.0.0/22: functions take one or two an instance."
  }
}
