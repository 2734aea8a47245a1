# The functions: what each is given, and why.
#
#   timeout         seconds. A lane's acknowledgement deadline covers it (lanes.tf)
#   concurrency     requests that one instance works on at a time; more than 1 needs a whole CPU
#   max_instances   what a burst may cost, and what Weaviate and Cohere are asked at a time

locals {
  # The clients alone take 110 MB.
  function_defaults = {
    router = {
      memory_mib    = 512
      cpu           = 1
      timeout       = 50
      concurrency   = 40 # it waits for Firestore and Pub/Sub
      min_instances = 0
      max_instances = 10
    }
    fast_lane = {
      memory_mib    = 1024
      cpu           = 1
      timeout       = 110 # below its lease of 120 s: a worker never outlives its right
      concurrency   = 8   # documents in one instance share calls of the embedding service
      min_instances = 0
      max_instances = 20
    }
    heavy_lane = {
      memory_mib    = 4096 # concurrency × pdf_memory, and the clients
      cpu           = 2
      timeout       = 540 # pdf_timeout, and as much again for embedding what came out
      concurrency   = 2
      min_instances = 0
      max_instances = 10
    }
    dead_letter = {
      memory_mib    = 512
      cpu           = 1
      timeout       = 50
      concurrency   = 10
      min_instances = 0
      max_instances = 2
    }
    janitor = {
      memory_mib    = 1024
      cpu           = 1
      timeout       = 540 # below its schedule of 10 minutes
      concurrency   = 1
      min_instances = 0
      max_instances = 1 # two would do the same work twice
    }
    api = {
      memory_mib    = 1024
      cpu           = 1
      timeout       = 60
      concurrency   = 40
      min_instances = 0
      max_instances = 10
    }
  }

  functions = {
    for name, default in local.function_defaults : name => merge(default, {
      for limit, value in try(var.functions[name], {}) : limit => value if value != null
    })
  }

  # What every function is told; own_settings are what the environment adds, weaviate_settings what those need that ask it.
  settings = {
    RAGBASE_PROFILE            = "gcp"
    GOOGLE_CLOUD_PROJECT       = var.project
    RAGBASE_BUCKET             = local.bucket
    RAGBASE_FIRESTORE_DATABASE = local.database
    RAGBASE_FAST_TOPIC         = local.topics.fast_lane
    RAGBASE_HEAVY_TOPIC        = local.topics.heavy_lane
    RAGBASE_DEAD_LETTER_TOPIC  = local.topics.dead_letter
    RAGBASE_LOG_LEVEL          = var.log_level
    RAGBASE_PDF_TIMEOUT        = tostring(local.pdf.timeout)
    RAGBASE_PDF_MEMORY         = tostring(local.pdf.memory_mib)
  }
  own_settings = { for name, value in var.settings : "RAGBASE_${upper(name)}" => value }

  weaviate_settings = merge(
    { WEAVIATE_URL = local.weaviate.url },
    local.weaviate.grpc_url == "" ? {} : { WEAVIATE_GRPC_URL = local.weaviate.grpc_url },
  )

  # What parsing one PDF may take, in seconds and MiB.
  pdf = { timeout = 300, memory_mib = 1024 }
}

module "function" {
  source   = "./modules/function"
  for_each = local.functions

  project     = var.project
  region      = var.region
  name        = replace("${var.name}-${each.key}", "_", "-")
  entry_point = each.key
  labels      = var.labels
  account     = google_service_account.function[each.key].email
  public      = each.key == "api"
  limits      = each.value

  archive = {
    bucket = google_storage_bucket.archives.name
    path   = var.archives[each.key].path
    sha256 = var.archives[each.key].sha256
  }
  build = {
    account    = google_service_account.build.id
    repository = google_artifact_registry_repository.functions.id
  }

  environment = merge(local.own_settings, local.settings, local.access[each.key].weaviate ? local.weaviate_settings : {})
  secrets     = { for variable, secret in local.secret_variables : variable => secret if contains(local.secret_readers[secret], each.key) }
  network     = local.access[each.key].weaviate ? local.weaviate.network : null

  # A revision that may not read its secrets does not start, and an image is not built without the build's rights.
  depends_on = [
    google_project_service.required,
    google_secret_manager_secret_iam_member.reader,
    google_project_iam_member.build,
    google_project_iam_member.build_sources,
    google_storage_bucket_iam_member.build,
  ]
}
