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
    error_message = "weaviate_vm.zone must be in the region ${var.region}, for example ${var.region}-b. The functions reach the VM only in their own region."
  }
  # https://cloud.google.com/compute/docs/regions-zones#available. A zone of a newer date is missing here.
  validation {
    condition     = !startswith(var.zone, "${var.region}-") || contains(lookup({ europe-west1 = ["b", "c", "d"], us-east1 = ["b", "c", "d"], us-central1 = ["a", "b", "c", "f"] }, var.region, ["a", "b", "c"]), trimprefix(var.zone, "${var.region}-"))
    error_message = "weaviate_vm.zone: Google's list has no zone ${var.zone} (https://cloud.google.com/compute/docs/regions-zones#available). If it is new, add it to terraform/modules/weaviate/variables.tf."
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
  validation {
    condition     = can(regex("^[a-z][a-z0-9]*(-[a-z0-9]+)+$", var.machine_type))
    error_message = "weaviate_vm.machine_type must be a machine type such as e2-highmem-2 (https://cloud.google.com/compute/docs/machine-resource)."
  }
}

variable "disk_gib" {
  type = number
  validation {
    condition     = var.disk_gib >= 10 && var.disk_gib <= 65536 && floor(var.disk_gib) == var.disk_gib
    error_message = "weaviate_vm.disk_gib must be a whole number from 10 to 65536, the largest disk of Google. You can increase it later, but not decrease it."
  }
}

variable "disk_name" {
  description = "The disk with the data, if it is not NAME-data: one that scripts/restore made from a snapshot."
  type        = string
  default     = null
}

variable "snapshot_location" {
  description = "Where the snapshots are stored, if not in the region: another region, or a multi-region such as eu."
  type        = string
  default     = null
}

variable "image_tag" {
  description = "The version of Weaviate."
  type        = string
  validation {
    condition     = can(regex("^[0-9]+\\.[0-9]+\\.[0-9]+$", var.image_tag))
    error_message = "weaviate_vm.version must be a full version such as 1.39.0. With another tag, the next start could run another version of Weaviate."
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

variable "ssh" {
  description = "Whether the operators may open a shell on the VM, too, through Identity-Aware Proxy (docs/restore.md)."
  type        = bool
  default     = false
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
