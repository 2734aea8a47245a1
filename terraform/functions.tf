# The functions: what each one gets, and why.
#
#   timeout         in seconds. The acknowledgement deadline of its lane is at least as long (subscriptions.tf)
#   concurrency     how many requests one instance works on at a time. More than 1 needs a whole CPU
#   max_instances   limits the cost of a burst. Together they need no more than a new project may use (limits.tf)

locals {
  # The client libraries alone need 110 MB.
  function_defaults = {
    router = {
      memory_mib    = 512
      cpu           = 1
      timeout       = 50
      concurrency   = 40 # it waits for Firestore and Pub/Sub
      min_instances = 0
      max_instances = 3
    }
    fast_lane = {
      memory_mib    = 1024
      cpu           = 1
      timeout       = 110 # an attempt ends after 75 s, plus up to 30 s for its last call
      concurrency   = 8   # documents in one instance share calls to the embedding service
      min_instances = 0
      max_instances = 4
    }
    heavy_lane = {
      memory_mib    = 4096 # concurrency × extract_memory, plus the client libraries and the joined text of a long document
      cpu           = 2
      timeout       = 540 # an attempt ends 200 s after extract_timeout, plus up to 30 s for its last call
      concurrency   = 2   # one part of a long document for each CPU: OCR keeps one busy
      min_instances = 0
      max_instances = 3 # 6 parts at once: a scan of 180 pages
    }
    dead_letter = {
      memory_mib    = 512
      cpu           = 1
      timeout       = 50
      concurrency   = 10
      min_instances = 0
      max_instances = 1
    }
    janitor = {
      memory_mib    = 1024
      cpu           = 1
      timeout       = 540 # less than its interval of 10 minutes
      concurrency   = 1
      min_instances = 0
      max_instances = 1 # two janitors would do the same work twice
    }
    sources = {
      memory_mib    = 1024 # eight uploads of up to 8 MB and one of 50 MB at a time
      cpu           = 1
      timeout       = 1740 # less than its interval of 30 minutes. It begins nothing in the last 5 minutes
      concurrency   = 1
      min_instances = 0
      max_instances = 1 # a second one would find the sources taken
    }
    api = {
      memory_mib    = 1024
      cpu           = 1
      timeout       = 60
      concurrency   = 40
      min_instances = 0
      max_instances = 4
    }
  }

  functions = {
    for name, default in local.function_defaults : name => merge(default, {
      for limit, value in try(var.functions[name], {}) : limit => value if value != null
    })
  }

  # Every function gets `settings` and `own_settings` (var.settings). Functions that call Weaviate also get `weaviate_settings`.
  settings = merge(local.proxy_settings, {
    RAGBASE_PROFILE            = "gcp"
    GOOGLE_CLOUD_PROJECT       = var.project
    RAGBASE_BUCKET             = local.bucket
    RAGBASE_TEXTS_BUCKET       = google_storage_bucket.texts.name
    RAGBASE_SOURCES_BUCKET     = google_storage_bucket.sources.name
    RAGBASE_FIRESTORE_DATABASE = local.database
    RAGBASE_FAST_TOPIC         = local.topics.fast_lane
    RAGBASE_HEAVY_TOPIC        = local.topics.heavy_lane
    RAGBASE_DEAD_LETTER_TOPIC  = local.topics.dead_letter
    RAGBASE_LOG_LEVEL          = var.log_level
    RAGBASE_EXTRACT_TIMEOUT    = tostring(local.pdf.timeout)
    RAGBASE_EXTRACT_MEMORY     = tostring(local.pdf.memory_mib)
    RAGBASE_SIGN_IN            = local.sign_in
  })
  own_settings = { for name, value in var.settings : "RAGBASE_${upper(name)}" => value }

  weaviate_settings = merge(
    { WEAVIATE_URL = local.weaviate.url },
    local.weaviate.grpc_url == "" ? {} : { WEAVIATE_GRPC_URL = local.weaviate.grpc_url },
  )

  # A new instance may reach the private network only after a minute
  # (https://cloud.google.com/run/docs/configuring/vpc-direct-vpc#limitations). It waits for Weaviate before it takes
  # requests: within the 240 s of Cloud Run's startup probe, and so that the request that waits for it gets an answer.
  start_wait = 90

  # The limits for parsing one PDF, in seconds and MiB.
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
  ingress     = each.key != "api" ? "ALLOW_INTERNAL_ONLY" : var.load_balancer == null ? "ALLOW_ALL" : "ALLOW_INTERNAL_AND_GCLB"
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

  environment = merge(
    local.own_settings,
    local.settings,
    local.access[each.key].weaviate ? local.weaviate_settings : {},
    local.access[each.key].weaviate && local.weaviate.network != null ? { RAGBASE_START_WAIT = tostring(min(local.start_wait, each.value.timeout - 15)) } : {},
    contains(local.model_callers.vertex, each.key) ? { RAGBASE_VERTEX_LOCATION = local.vertex_location } : {},
    each.key == "sources" ? local.s3_settings : {},
    each.key == "janitor" ? { for bucket in google_storage_bucket.audit : "RAGBASE_AUDIT_BUCKET" => bucket.name } : {},
  )
  secrets = { for variable, secret in local.secret_variables : variable => secret if contains(local.secret_readers[secret], each.key) }
  network = local.access[each.key].weaviate ? local.weaviate.network : null

  # A revision does not start without the right to read its secrets. A build fails without its account's rights.
  depends_on = [
    google_project_service.required,
    google_secret_manager_secret_iam_member.reader,
    google_project_iam_member.vertex,
    google_project_iam_member.build,
    google_project_iam_member.build_sources,
    google_storage_bucket_iam_member.build,
  ]
}
