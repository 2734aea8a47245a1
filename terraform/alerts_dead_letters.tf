# An alert for each subscription, which names it: its messages become dead letters. Pub/Sub gives up a message after its last
# delivery, and a lane gives up a job after its last attempt or the longest wait. Each query looks back 10 minutes: a dead
# letter after that is told again.

locals {
  of_subscription = "{monitored_resource=\"pubsub_subscription\", subscription_id="

  dead_letter_alerts = merge(
    { for name, lane in local.lanes : "dead_letters_of_${name}" => {
      severity = "ERROR"
      advice   = name == "dead_letter" ? local.kept_advice : "A message for ${lane.function} was given up. `ragbase dead-letters list` shows it with the reason, unless its document still waits for a service (docs/operate.md, Outages). Fix the cause, then run `ragbase dead-letters replay` (docs/operate.md)."
      for      = 0
      query = join("\nor ", concat(
        ["sum(increase(pubsub_googleapis_com:subscription_dead_letter_message_count${local.of_subscription}\"${module.lane[name].subscription}\"}[10m])) > 0"],
        !endswith(lane.function, "_lane") ? [] : ["sum(increase(${local.counted.given_up}, service_name=\"${module.function[lane.function].service}\"}[10m])) > 0"],
      ))
    } },
    {
      kept_messages = {
        severity = "ERROR"
        advice   = local.kept_advice
        for      = 0
        query    = "max(max_over_time(pubsub_googleapis_com:subscription_num_undelivered_messages${local.of_subscription}\"${google_pubsub_subscription.kept.name}\"}[10m])) > 0"
      }
    },
  )

  kept_advice = "A message could not even be recorded as a dead letter. It waits in ${google_pubsub_subscription.kept.name} for 31 days (docs/operate.md, Dead letters)."
}
