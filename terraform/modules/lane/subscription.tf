resource "google_pubsub_subscription" "push" {
  project = var.project
  name    = var.name
  topic   = var.topic
  labels  = var.labels

  ack_deadline_seconds       = var.ack_deadline_seconds
  message_retention_duration = "${var.retention_days * 86400}s"
  expiration_policy {
    ttl = "" # never: else it goes after 31 quiet days, and uploads with it
  }

  push_config {
    # The run.app address: only under it does Pub/Sub count as internal to a function that is closed to the outside.
    push_endpoint = var.function.uri
    oidc_token {
      service_account_email = google_service_account.delivery.email
      audience              = var.function.uri
    }
  }

  retry_policy {
    minimum_backoff = "${var.backoff.minimum}s"
    maximum_backoff = "${var.backoff.maximum}s"
  }

  dead_letter_policy {
    dead_letter_topic     = var.dead_letter_topic
    max_delivery_attempts = var.max_delivery_attempts
  }

  depends_on = [google_cloud_run_v2_service_iam_member.delivery, google_service_account_iam_member.token]
}

# Moving a message to the dead-letter topic acknowledges it here.
resource "google_pubsub_subscription_iam_member" "moves" {
  project      = var.project
  subscription = google_pubsub_subscription.push.name
  role         = "roles/pubsub.subscriber"
  member       = var.agent
}
