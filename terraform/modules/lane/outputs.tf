output "subscription" {
  description = "The name of the subscription."
  value       = google_pubsub_subscription.push.name
}

output "promises" {
  description = "The values that the tests check."
  value = {
    topic             = google_pubsub_subscription.push.topic
    endpoint          = google_pubsub_subscription.push.push_config[0].push_endpoint
    audience          = google_pubsub_subscription.push.push_config[0].oidc_token[0].audience
    account           = google_pubsub_subscription.push.push_config[0].oidc_token[0].service_account_email
    deadline          = google_pubsub_subscription.push.ack_deadline_seconds
    retention         = google_pubsub_subscription.push.message_retention_duration
    expires           = google_pubsub_subscription.push.expiration_policy[0].ttl
    minimum_backoff   = google_pubsub_subscription.push.retry_policy[0].minimum_backoff
    maximum_backoff   = google_pubsub_subscription.push.retry_policy[0].maximum_backoff
    dead_letter_topic = google_pubsub_subscription.push.dead_letter_policy[0].dead_letter_topic
    attempts          = google_pubsub_subscription.push.dead_letter_policy[0].max_delivery_attempts
    invokes           = google_cloud_run_v2_service_iam_member.delivery.name
    invoker           = google_cloud_run_v2_service_iam_member.delivery.member
    invoker_role      = google_cloud_run_v2_service_iam_member.delivery.role
    token_role        = google_service_account_iam_member.token.role
    token_creator     = google_service_account_iam_member.token.member
    mover             = google_pubsub_subscription_iam_member.moves.member
    mover_role        = google_pubsub_subscription_iam_member.moves.role
    moves_from        = google_pubsub_subscription_iam_member.moves.subscription
  }
}
