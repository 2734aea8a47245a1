resource "google_pubsub_subscription" "push" {
  project = var.project
  name    = var.name
  topic   = var.topic
  labels  = var.labels

  ack_deadline_seconds       = var.ack_deadline_seconds
  message_retention_duration = "${var.retention_days * 86400}s"
  expiration_policy {
    ttl = "" # never. By default it would expire after 31 days without activity, and uploads would be lost
  }

  push_config {
    # An internal function accepts requests from Pub/Sub only at its run.app URL.
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

# To move a message to the dead-letter topic, Pub/Sub must acknowledge it here.
resource "google_pubsub_subscription_iam_member" "moves" {
  project      = var.project
  subscription = google_pubsub_subscription.push.name
  role         = "roles/pubsub.subscriber"
  member       = var.agent
}
