# The topics.
#
#   bucket → uploads → router → fast-lane  → fast_lane
#                             → heavy-lane → heavy_lane        what router or lanes cannot process → dead-letter → dead_letter
#
# If dead_letter cannot process a message either, it goes to another topic. Nothing is called there: it waits for a person.

locals {
  topics = {
    uploads     = "${var.name}-uploads"
    fast_lane   = "${var.name}-fast-lane"
    heavy_lane  = "${var.name}-heavy-lane"
    dead_letter = "${var.name}-dead-letter"
  }
}

resource "google_pubsub_topic" "lane" {
  for_each     = local.topics
  project      = var.project
  name         = each.value
  labels       = var.labels
  kms_key_name = var.kms_key

  # Messages contain names of documents, and must stay in the region.
  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

resource "google_pubsub_topic" "kept" {
  project      = var.project
  name         = "${var.name}-dead-letter-kept"
  labels       = var.labels
  kms_key_name = var.kms_key

  message_storage_policy {
    allowed_persistence_regions = [var.region]
  }

  depends_on = [google_project_service.required, google_kms_crypto_key_iam_member.agent]
}

# A topic without a subscription loses its messages. Pull these by hand (docs/operate.md, Dead letters).
resource "google_pubsub_subscription" "kept" {
  project = var.project
  name    = google_pubsub_topic.kept.name
  topic   = google_pubsub_topic.kept.id
  labels  = var.labels

  ack_deadline_seconds       = 60
  message_retention_duration = "2678400s" # 31 days, the maximum
  expiration_policy {
    ttl = "" # never. By default it would expire after 31 days without activity
  }
}

# Pub/Sub itself publishes a message to a dead-letter topic, so its account needs the right.
resource "google_pubsub_topic_iam_member" "moves" {
  for_each = { dead_letter = google_pubsub_topic.lane["dead_letter"].name, kept = google_pubsub_topic.kept.name }
  project  = var.project
  topic    = each.value
  role     = "roles/pubsub.publisher"
  member   = local.agents.pubsub
}
