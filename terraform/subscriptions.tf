# The subscriptions that push messages from the topics to the functions.

locals {
  # deadline: how many seconds Pub/Sub waits for the answer, at most 600. It is at least the function's timeout. Otherwise
  # Pub/Sub would deliver a message again while a function still works on it.
  # oldest: there is an alert if a message waits longer than this, in seconds.
  lanes = {
    uploads     = { function = "router", deadline = 60, oldest = 300, dead_letter = google_pubsub_topic.lane["dead_letter"].id }
    fast_lane   = { function = "fast_lane", deadline = 120, oldest = 900, dead_letter = google_pubsub_topic.lane["dead_letter"].id }
    heavy_lane  = { function = "heavy_lane", deadline = 600, oldest = 3600, dead_letter = google_pubsub_topic.lane["dead_letter"].id }
    dead_letter = { function = "dead_letter", deadline = 60, oldest = 900, dead_letter = google_pubsub_topic.kept.id }
  }
}

module "lane" {
  source   = "./modules/lane"
  for_each = local.lanes

  project = var.project
  region  = var.region
  name    = local.topics[each.key]
  topic   = google_pubsub_topic.lane[each.key].id
  labels  = var.labels

  function = {
    service = module.function[each.value.function].service
    uri     = module.function[each.value.function].uri
    timeout = local.functions[each.value.function].timeout
  }
  account_id           = replace("${var.name}-to-${each.value.function}", "_", "-")
  ack_deadline_seconds = each.value.deadline
  dead_letter_topic    = each.value.dead_letter
  agent                = local.agents.pubsub

  depends_on = [google_project_service.required, google_pubsub_topic_iam_member.moves]
}
