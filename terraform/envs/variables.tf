# The variables that every environment has: dev and prod have a link to this file. Set them in terraform.tfvars, and commit it:
# it holds no secret. example.tfvars is an example. scripts/deploy passes the archives. settings.tf lists each variable again.

variable "project" {
  type = string
}

variable "region" {
  description = "The region for everything that runs, and for what is stored unless `locations` says otherwise."
  type        = string
  default     = "europe-west1"
}

variable "locations" {
  description = "Where the bucket, the database and the snapshots of Weaviate's disk are, if not in the region, for example { bucket = \"EU\", database = \"eur3\", snapshots = \"eu\" }."
  type        = object({ bucket = optional(string), database = optional(string), snapshots = optional(string) })
  default     = {}
}

variable "database" {
  description = "The id of the database, after scripts/restore has made a new one (docs/restore.md)."
  type        = string
  default     = null
}

variable "functions" {
  description = "Other limits of functions than here, for example { api = { max_instances = 10 } } (docs/deploy.md)."
  type = map(object({
    memory_mib    = optional(number)
    cpu           = optional(number)
    concurrency   = optional(number)
    min_instances = optional(number)
    max_instances = optional(number)
  }))
  default = {}
}

variable "quota" {
  description = "What Cloud Run lets all functions use in the region, if it is more than a new project has (docs/deploy.md)."
  type        = object({ cpu = optional(number, 20), memory_gib = optional(number, 40) })
  default     = {}
}

variable "settings" {
  description = "Settings of ragbase that Terraform does not set itself, for example { chunk_size = \"800\" } (docs/configuration.md)."
  type        = map(string)
  default     = {}
}

variable "more_models" {
  description = "Services that functions may ask besides those that settings name, for example [\"cohere\"] until ragbase reindex has replaced an index of it (terraform/models.tf)."
  type        = list(string)
  default     = []
}

variable "log_level" {
  description = "The log level of the functions, INFO or DEBUG."
  type        = string
  default     = "INFO"
}

variable "alert_when" {
  description = "The limits of the alerts (terraform/variables_alerts.tf)."
  type = object({
    failed_share      = optional(number)
    query_p95_seconds = optional(number)
    query_error_share = optional(number)
    oldest_seconds    = optional(map(number))
  })
  default = {}
}

variable "archives" {
  type = map(object({ path = string, sha256 = string }))
}

variable "api_callers" {
  description = "Who may call the api, for example group:readers@example.com."
  type        = list(string)
  default     = []
}

variable "api_sign_in" {
  description = "Whether those whom IAM lets through also have to sign in."
  type        = bool
  default     = false
}

variable "api_password" {
  description = "Whether the secret ragbase-password-hash has a value (docs/access.md)."
  type        = bool
  default     = false
}

variable "weaviate_vm" {
  description = "The VM for Weaviate: its size if not that of the environment (main.tf), its zone if not REGION-b, the version of Weaviate if not that of this checkout, the disk that scripts/restore made, and whether operators may open a shell on it (docs/restore.md). Nothing of it is used with a hosted Weaviate."
  type = object({
    machine_type = optional(string)
    disk_gib     = optional(number)
    zone         = optional(string)
    version      = optional(string)
    disk         = optional(string)
    ssh          = optional(bool, false)
  })
  default = {}
}

variable "weaviate_digest" {
  description = "The digest of Weaviate's image, so that the VM takes no other. To find it: gcloud artifacts docker images describe --format='value(image_summary.digest)' REGION-docker.pkg.dev/PROJECT/ragbase-weaviate/semitechnologies/weaviate:VERSION"
  type        = string
  default     = null
}

variable "weaviate_operators" {
  description = "Who may open a tunnel to Weaviate on its VM, for example group:operators@example.com (docs/operate.md)."
  type        = list(string)
  default     = []
}

variable "weaviate" {
  description = "A hosted Weaviate, or one that is reached through a private network. Without it, there is one on a VM."
  type = object({
    url      = string
    grpc_url = optional(string, "")
    secret   = optional(string)
    network  = optional(object({ network = string, subnetwork = string }))
  })
  default = null
}

variable "sources" {
  description = "The scheduled sources by name (docs/sources.md)."
  type = map(object({
    address       = string
    prefix        = optional(string)
    delete        = optional(bool, false)
    force         = optional(bool, false)
    every_minutes = optional(number, 1440)
  }))
  default = {}
}

variable "s3" {
  description = "For sources at s3://: the ids of the secrets with the key, and where the buckets are (docs/deploy.md)."
  type        = object({ access_key_id = string, secret_access_key = string, region = optional(string), endpoint = optional(string) })
  default     = null
}

variable "audit_retention" {
  description = "For daily exports of the audit log: how many days nobody can remove one, and whether that can never be taken back (docs/operate.md)."
  type        = object({ days = number, locked = optional(bool, false) })
  default     = null
}
