# The sources that are synced on a schedule (docs/sources.md).

variable "sources_file" {
  description = "The path of the file that describes the sources, for example \"sources.toml\" beside terraform.tfvars. Without one, nothing is synced."
  type        = string
  default     = null
  validation {
    condition     = var.sources_file == null || can(file(var.sources_file))
    error_message = "sources_file must name a file that exists. Its path starts at the folder of the environment."
  }
}

variable "sources_schedule" {
  description = "When the sources are looked at, in the form of cron (UTC). Each source has its own `every` in the file."
  type        = string
  default     = "17 * * * *"
  validation {
    condition     = length(split(" ", var.sources_schedule)) == 5
    error_message = "sources_schedule must have the five fields of cron, for example \"17 * * * *\" for each hour."
  }
}

variable "source_secrets" {
  description = "Environment variables of the function `sources` and the secrets with their values, for example { AWS_ACCESS_KEY_ID = \"aws-id\", AWS_SECRET_ACCESS_KEY = \"aws-key\" }. The secrets must exist and have a value."
  type        = map(string)
  default     = {}
}
