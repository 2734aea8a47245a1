# Each function has its own account with only the rights that it needs. An attacker who controls a function gets no more.
# A test compares them with what the code of the functions calls.
#
#   records     reads and writes the documents' records
#   objects     reads or writes objects in the bucket (the api accepts uploads, sources brings documents)
#   texts       reads, writes or removes given texts (the api gives them, the lanes read and remove them) and texts of parts
#   publishes   the topics that it publishes jobs to
#   weaviate    calls Weaviate (secrets.tf grants the key)

locals {
  access = {
    router      = { records = true, objects = "read", texts = false, publishes = ["fast_lane", "heavy_lane"], weaviate = false }
    fast_lane   = { records = true, objects = "read", texts = true, publishes = ["fast_lane", "heavy_lane", "dead_letter"], weaviate = true }
    heavy_lane  = { records = true, objects = "read", texts = true, publishes = ["fast_lane", "heavy_lane", "dead_letter"], weaviate = true }
    dead_letter = { records = true, objects = "read", texts = false, publishes = ["fast_lane", "heavy_lane"], weaviate = false }
    janitor     = { records = true, objects = "read", texts = true, publishes = ["fast_lane", "heavy_lane"], weaviate = true }
    api         = { records = true, objects = "write", texts = true, publishes = ["fast_lane", "heavy_lane"], weaviate = true }
    sources     = { records = true, objects = "write", texts = false, publishes = [], weaviate = false }
  }

  object_roles = { read = "roles/storage.objectViewer", write = "roles/storage.objectUser" }
}

resource "google_service_account" "function" {
  for_each     = local.access
  project      = var.project
  account_id   = replace("${var.name}-${each.key}", "_", "-")
  display_name = "ragbase: ${each.key}"
  depends_on   = [google_project_service.required]
}

# A Firestore database has no IAM policy. So the project grants the role, and the condition limits it to this database.
resource "google_project_iam_member" "records" {
  for_each = { for name, access in local.access : name => access if access.records }
  project  = var.project
  role     = "roles/datastore.user"
  member   = "serviceAccount:${google_service_account.function[each.key].email}"
  condition {
    title      = "records of ragbase"
    expression = "resource.name == \"projects/${var.project}/databases/${local.database}\""
  }
}

resource "google_storage_bucket_iam_member" "objects" {
  for_each = { for name, access in local.access : name => access.objects if access.objects != "none" }
  bucket   = google_storage_bucket.documents.name
  role     = local.object_roles[each.value]
  member   = "serviceAccount:${google_service_account.function[each.key].email}"
}

resource "google_storage_bucket_iam_member" "texts" {
  for_each = { for name, access in local.access : name => access if access.texts }
  bucket   = google_storage_bucket.texts.name
  role     = "roles/storage.objectUser"
  member   = "serviceAccount:${google_service_account.function[each.key].email}"
}

resource "google_pubsub_topic_iam_member" "publisher" {
  for_each = merge([
    for name, access in local.access : { for topic in access.publishes : "${name} to ${topic}" => { name = name, topic = topic } }
  ]...)
  project = var.project
  topic   = google_pubsub_topic.lane[each.value.topic].name
  role    = "roles/pubsub.publisher"
  member  = "serviceAccount:${google_service_account.function[each.value.name].email}"
}

# A function has no key file. To sign the URL of an upload or a download, it asks Google to sign as its own account. The
# role also lets it make tokens for this account, which every function gets from the metadata server anyway.
resource "google_service_account_iam_member" "signs" {
  service_account_id = google_service_account.function["api"].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = "serviceAccount:${google_service_account.function["api"].email}"
}
