# The topics and subscriptions.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "every_topic_is_pushed_to_its_function" {
  command = plan

  assert {
    condition     = { for name, lane in module.lane : name => lane.promises.endpoint } == { uploads = module.function["router"].uri, fast_lane = module.function["fast_lane"].uri, heavy_lane = module.function["heavy_lane"].uri, dead_letter = module.function["dead_letter"].uri }
    error_message = "A topic is pushed to another function."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.topic == google_pubsub_topic.lane[name].id])
    error_message = "A subscription is for another topic."
  }

  assert {
    condition     = toset(keys(module.lane)) == toset(keys(google_pubsub_topic.lane))
    error_message = "A topic has no subscription, so its messages are lost."
  }
}

run "the_settings_have_the_names_of_the_topics" {
  command = plan

  assert {
    condition     = alltrue([for name, function in module.function : function.promises.environment["RAGBASE_FAST_TOPIC"] == google_pubsub_topic.lane["fast_lane"].name && function.promises.environment["RAGBASE_HEAVY_TOPIC"] == google_pubsub_topic.lane["heavy_lane"].name && function.promises.environment["RAGBASE_DEAD_LETTER_TOPIC"] == google_pubsub_topic.lane["dead_letter"].name])
    error_message = "A function publishes to a topic that does not exist."
  }
}

run "each_message_is_signed_for_the_function_that_gets_it" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.audience == lane.promises.endpoint])
    error_message = "A token for one function is valid for another."
  }

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.invoker == "serviceAccount:${lane.promises.account}" && lane.promises.invoker_role == "roles/run.invoker"])
    error_message = "The delivery account may not call its function."
  }
}

run "each_lane_delivers_under_its_own_account" {
  command = plan

  assert {
    condition     = length(distinct([for lane in values(module.lane) : lane.promises.account])) == length(module.lane)
    error_message = "Two lanes share an account, so each may call the function of the other."
  }

  assert {
    condition     = length(setintersection([for lane in values(module.lane) : lane.promises.account], values(google_service_account.function)[*].email)) == 0
    error_message = "A function can call another one as if it were Pub/Sub."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.invokes == module.function[local.lanes[name].function].service])
    error_message = "A delivery account may call the function of another lane."
  }
}

run "pubsub_may_sign_in_as_the_delivery_accounts" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.token_creator == local.agents.pubsub && lane.promises.token_role == "roles/iam.serviceAccountTokenCreator"])
    error_message = "In an old project, Pub/Sub cannot sign its requests."
  }
}

run "every_subscription_has_a_dead_letter_and_its_grants" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : contains([google_pubsub_topic.lane["dead_letter"].id, google_pubsub_topic.kept.id], lane.promises.dead_letter_topic)])
    error_message = "A subscription has no dead-letter topic. A message that always fails is lost in the end."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.dead_letter_topic != google_pubsub_topic.lane[name].id])
    error_message = "A lane has its own topic as dead-letter topic."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.moves_from == lane.subscription && lane.promises.mover == local.agents.pubsub && lane.promises.mover_role == "roles/pubsub.subscriber"])
    error_message = "Pub/Sub may not remove a message from its subscription."
  }

  assert {
    condition     = toset(values(google_pubsub_topic_iam_member.moves)[*].topic) == toset([google_pubsub_topic.lane["dead_letter"].name, google_pubsub_topic.kept.name]) && alltrue([for grant in values(google_pubsub_topic_iam_member.moves) : grant.member == local.agents.pubsub && grant.role == "roles/pubsub.publisher"])
    error_message = "Pub/Sub may not publish to a dead-letter topic."
  }
}

run "what_no_function_can_process_waits_for_a_person" {
  command = plan

  assert {
    condition     = google_pubsub_subscription.kept.topic == google_pubsub_topic.kept.id
    error_message = "The topic has no subscription, so its messages are lost."
  }

  assert {
    condition     = length(google_pubsub_subscription.kept.push_config) == 0 && google_pubsub_subscription.kept.message_retention_duration == "2678400s"
    error_message = "The messages are pushed, or do not wait for 31 days."
  }
}

run "deadlines_cover_the_time_outs" {
  command = plan

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.deadline >= module.function[local.lanes[name].function].promises.timeout && lane.promises.deadline <= 600])
    error_message = "A message is delivered again while a function works on it."
  }
}

run "an_outage_of_some_minutes_loses_no_document" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.minimum_backoff == "10s" && lane.promises.maximum_backoff == "30s" && lane.promises.attempts == 100])
    error_message = "Pub/Sub stops too early to survive a short outage, or the local cloud delivers differently."
  }

  assert {
    condition     = alltrue([for lane in values(module.lane) : tonumber(trimsuffix(lane.promises.retention, "s")) >= 7 * 86400])
    error_message = "Messages are lost within a week."
  }
}

run "no_subscription_expires" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.expires == ""]) && google_pubsub_subscription.kept.expiration_policy[0].ttl == ""
    error_message = "After 31 days without activity a subscription expires, and then documents are lost."
  }
}

run "names_of_documents_stay_in_the_region" {
  command = plan

  assert {
    condition     = alltrue([for topic in concat(values(google_pubsub_topic.lane), [google_pubsub_topic.kept]) : topic.message_storage_policy[0].allowed_persistence_regions == toset([var.region])])
    error_message = "Messages contain names of documents, and may be stored in other regions."
  }
}

run "a_deadline_before_the_time_out_is_refused" {
  command = plan

  module {
    source = "./modules/lane"
  }

  variables {
    project              = "ragbase-test"
    region               = "europe-west1"
    name                 = "lane"
    topic                = "projects/ragbase-test/topics/lane"
    account_id           = "to-function"
    dead_letter_topic    = "projects/ragbase-test/topics/dead-letter"
    agent                = "serviceAccount:pubsub@example.com"
    function             = { service = "function", uri = "https://function.example.com", timeout = 120 }
    ack_deadline_seconds = 60
  }

  expect_failures = [var.ack_deadline_seconds]
}

run "a_deadline_above_the_limit_of_pubsub_is_refused" {
  command = plan

  module {
    source = "./modules/lane"
  }

  variables {
    project              = "ragbase-test"
    region               = "europe-west1"
    name                 = "lane"
    topic                = "projects/ragbase-test/topics/lane"
    account_id           = "to-function"
    dead_letter_topic    = "projects/ragbase-test/topics/dead-letter"
    agent                = "serviceAccount:pubsub@example.com"
    function             = { service = "function", uri = "https://function.example.com", timeout = 120 }
    ack_deadline_seconds = 601
  }

  expect_failures = [var.ack_deadline_seconds]
}
