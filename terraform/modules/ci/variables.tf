variable "project" {
  description = "The id of the project that CI deploys to."
  type        = string
}

variable "repository" {
  description = "The repository on GitHub whose workflows may deploy, as OWNER/NAME."
  type        = string
  validation {
    condition     = can(regex("^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$", var.repository))
    error_message = "repository must be OWNER/NAME, for example my-company/ragbase."
  }
}

variable "branch" {
  description = "The branch from which a workflow may deploy. A workflow of a pull request runs on none."
  type        = string
  validation {
    condition     = can(regex("^[A-Za-z0-9._/-]+$", var.branch))
    error_message = "branch must be a branch's name, for example main."
  }
}
