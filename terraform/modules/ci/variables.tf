variable "project" {
  description = "The id of the project that CI deploys to."
  type        = string
}

variable "repository_id" {
  description = "The number of the repository on GitHub whose workflows may deploy: gh api repos/OWNER/NAME --jq .id"
  type        = string
  validation {
    condition     = can(regex("^[1-9][0-9]*$", var.repository_id))
    error_message = "repository_id must be the repository's number, not its name: gh api repos/OWNER/NAME --jq .id"
  }
}

variable "repository_owner_id" {
  description = "The number of its owner: gh api repos/OWNER/NAME --jq .owner.id"
  type        = string
  validation {
    condition     = can(regex("^[1-9][0-9]*$", var.repository_owner_id))
    error_message = "repository_owner_id must be the owner's number, not a name: gh api repos/OWNER/NAME --jq .owner.id"
  }
}

variable "branch" {
  description = "The branch from which a workflow may deploy."
  type        = string
  validation {
    condition     = can(regex("^[A-Za-z0-9._/-]+$", var.branch))
    error_message = "branch must be a branch's name, for example main."
  }
}

variable "state_bucket" {
  description = "The bucket with the state of the environment. Who plans reads it."
  type        = string
}

variable "archives_bucket" {
  description = "The bucket with the archives of the functions. Who plans reads them."
  type        = string
}
