# An alert for each subscription, which names it: its messages become dead letters. Pub/Sub gives up a message after its last
# delivery, and a lane gives up a job after its last attempt or the longest wait.

locals {
  dead_letter_alerts = { for name, lane in local.lanes : "dead_letters_of_${name}" => {
    severity = "ERROR"
    advice   = name == "dead_letter" ? local.kept_advice : "A message for ${lane.function} was given up. `ragbase dead-letters list` shows it with the reason, unless its document still waits for a service (docs/operate.md, Outages). Fix the cause, then run `ragbase dead-letters replay` (docs/operate.md)."
    conditions = concat(
      [{
        name   = "Pub/Sub gave up a message of ${module.lane[name].subscription}"
        filter = "${local.of_subscription} AND resource.labels.subscription_id=\"${module.lane[name].subscription}\" AND metric.type=\"pubsub.googleapis.com/subscription/dead_letter_message_count\""
        of     = null, aligner = "ALIGN_DELTA", above = 0, for = 0
      }],
      !endswith(lane.function, "_lane") ? [] : [{
        name   = "${module.function[lane.function].service} gave up a job"
        filter = "${local.logged.given_up} AND resource.labels.service_name=\"${module.function[lane.function].service}\""
        of     = null, aligner = "ALIGN_DELTA", above = 0, for = 0
      }],
      name != "dead_letter" ? [] : [{
        name   = "a message waits in ${google_pubsub_subscription.kept.name}"
        filter = "${local.of_subscription} AND resource.labels.subscription_id=\"${google_pubsub_subscription.kept.name}\" AND metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\""
        of     = null, aligner = "ALIGN_MAX", above = 0, for = 0
      }],
    )
  } }

  of_subscription = "resource.type=\"pubsub_subscription\""
  kept_advice     = "A message could not even be recorded as a dead letter. It waits in ${google_pubsub_subscription.kept.name} for 31 days (docs/deploy.md, Dead letters)."
}
