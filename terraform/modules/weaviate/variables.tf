variable "project" {
  type = string
}

variable "region" {
  type = string
}

variable "zone" {
  description = "The zone of the VM and the disk. A disk cannot move to another zone. Restore a snapshot there."
  type        = string
  validation {
    condition     = startswith(var.zone, "${var.region}-")
    error_message = "zone must be in the region, for example europe-west1-b. The functions reach the VM only in their own region."
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
  description = "Each query reads all vectors. A vector of 1024 numbers takes 4 KB. All vectors should fit into memory (docs/deploy.md)."
  type        = string
}

variable "disk_gib" {
  type = number
  validation {
    condition     = var.disk_gib >= 10 && floor(var.disk_gib) == var.disk_gib
    error_message = "disk_gib must be a whole number, at least 10. You can increase it later, but not decrease it."
  }
}

variable "image_tag" {
  description = "The version of Weaviate."
  type        = string
  validation {
    condition     = can(regex("^[0-9]+\\.[0-9]+\\.[0-9]+$", var.image_tag))
    error_message = "version must be a full version such as 1.39.0. With another tag, the next start could run another version of Weaviate."
  }
}

variable "image_digest" {
  description = "The digest of the image for this version. Without it, the VM takes what Docker Hub names with the version."
  type        = string
  default     = null
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
  description = "Whether the disk refuses to be destroyed."
  type        = bool
}

variable "operators" {
  description = "Who may open a tunnel to Weaviate, for example group:operators@example.com."
  type        = list(string)
  default     = []
}

variable "cidr" {
  description = "A range of private addresses. Networks that are connected to this one must not use it."
  type        = string
  default     = "10.61.0.0/22"
  validation {
    condition     = can(cidrhost(var.cidr, 0)) && try(tonumber(split("/", var.cidr)[1]) <= 22, false)
    error_message = "cidr must be a range of at least 1024 addresses, for example 10.61.0.0/22. Each instance of a function needs one or two."
  }
}
