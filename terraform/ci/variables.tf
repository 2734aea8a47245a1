variable "project" {
  type = string
}

variable "repository_id" {
  type = string
}

variable "repository_owner_id" {
  type = string
}

variable "branch" {
  type    = string
  default = "main"
}

variable "state_bucket" {
  type    = string
  default = null
}
