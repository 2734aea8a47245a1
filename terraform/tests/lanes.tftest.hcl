# What topics and subscriptions promise.

mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123456789012" }
  }
  mock_data "google_storage_project_service_account" {
    defaults = { email_address = "service-123456789012@gs-project-accounts.iam.gserviceaccount.com" }
  }
}

variables {
  project = "ragbase-test"
  archives = {
    for name in ["api", "dead_letter", "fast_lane", "heavy_lane", "janitor", "router"] :
    name => { path = "${name}.zip", sha256 = sha256(name) }
  }
  weaviate = { url = "https://weaviate.example.com" }
}

run "an_environment_is_made_from_nothing" {
  assert {
    condition     = output.bucket == "ragbase-test-ragbase"
    error_message = "The bucket is named for its project."
  }
}

run "every_topic_is_pushed_to_its_function" {
  command = plan

  assert {
    condition     = { for name, lane in module.lane : name => lane.promises.endpoint } == { uploads = module.function["router"].uri, fast_lane = module.function["fast_lane"].uri, heavy_lane = module.function["heavy_lane"].uri, dead_letter = module.function["dead_letter"].uri }
    error_message = "A topic reaches another function than its own."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.topic == google_pubsub_topic.lane[name].id])
    error_message = "A subscription is of another topic."
  }

  assert {
    condition     = toset(keys(module.lane)) == toset(keys(google_pubsub_topic.lane))
    error_message = "A topic has no subscription: what it gets is forgotten."
  }
}

run "names_of_the_topics_are_those_of_the_settings" {
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
    error_message = "A token for one function is good for another."
  }

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.invoker == "serviceAccount:${lane.promises.account}" && lane.promises.invoker_role == "roles/run.invoker"])
    error_message = "The account that delivers may not call the function."
  }
}

run "each_lane_delivers_under_an_account_of_its_own" {
  command = plan

  assert {
    condition     = length(distinct([for lane in values(module.lane) : lane.promises.account])) == length(module.lane)
    error_message = "Two lanes share an account, so that each may call the other's function."
  }

  assert {
    condition     = length(setintersection([for lane in values(module.lane) : lane.promises.account], values(google_service_account.function)[*].email)) == 0
    error_message = "A function could call another one as if it were the queue."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.invokes == module.function[local.lanes[name].function].service])
    error_message = "A delivery account may call another function than its own."
  }
}

run "pubsub_may_sign_in_as_the_delivery_accounts" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.token_creator == local.agents.pubsub && lane.promises.token_role == "roles/iam.serviceAccountTokenCreator"])
    error_message = "In an old project Pub/Sub cannot sign its messages."
  }
}

run "every_subscription_has_a_dead_letter_and_its_grants" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : contains([google_pubsub_topic.lane["dead_letter"].id, google_pubsub_topic.kept.id], lane.promises.dead_letter_topic)])
    error_message = "What cannot be delivered is tried until it is forgotten."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.dead_letter_topic != google_pubsub_topic.lane[name].id])
    error_message = "A lane is its own dead letter."
  }

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.moves_from == lane.subscription && lane.promises.mover == local.agents.pubsub && lane.promises.mover_role == "roles/pubsub.subscriber"])
    error_message = "Pub/Sub may not take a message out of its subscription."
  }

  assert {
    condition     = toset(values(google_pubsub_topic_iam_member.moves)[*].topic) == toset([google_pubsub_topic.lane["dead_letter"].name, google_pubsub_topic.kept.name]) && alltrue([for grant in values(google_pubsub_topic_iam_member.moves) : grant.member == local.agents.pubsub && grant.role == "roles/pubsub.publisher"])
    error_message = "Pub/Sub may not publish to a dead-letter topic."
  }
}

run "what_nobody_takes_waits_for_a_person" {
  command = plan

  assert {
    condition     = google_pubsub_subscription.kept.topic == google_pubsub_topic.kept.id
    error_message = "A topic without a subscription forgets what it gets."
  }

  assert {
    condition     = length(google_pubsub_subscription.kept.push_config) == 0 && google_pubsub_subscription.kept.message_retention_duration == "2678400s"
    error_message = "It waits for 31 days, and is pushed nowhere."
  }
}

run "deadlines_cover_the_time_outs" {
  command = plan

  assert {
    condition     = alltrue([for name, lane in module.lane : lane.promises.deadline >= module.function[local.lanes[name].function].promises.timeout && lane.promises.deadline <= 600])
    error_message = "A message is delivered again while it is worked on."
  }
}

run "an_outage_of_some_minutes_costs_no_document" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.minimum_backoff == "20s" && lane.promises.maximum_backoff == "600s" && lane.promises.attempts == 20])
    error_message = "Deliveries end before a short outage does, or differ from those of the local cloud."
  }

  assert {
    condition     = alltrue([for lane in values(module.lane) : tonumber(trimsuffix(lane.promises.retention, "s")) >= 7 * 86400])
    error_message = "Messages are forgotten within a week."
  }
}

run "no_subscription_expires" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : lane.promises.expires == ""]) && google_pubsub_subscription.kept.expiration_policy[0].ttl == ""
    error_message = "After 31 quiet days a subscription would be gone, and the documents after it."
  }
}

run "names_of_documents_stay_in_the_region" {
  command = plan

  assert {
    condition     = alltrue([for topic in concat(values(google_pubsub_topic.lane), [google_pubsub_topic.kept]) : topic.message_storage_policy[0].allowed_persistence_regions == toset([var.region])])
    error_message = "Messages, with names of documents, may be kept in other regions."
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

run "a_deadline_that_pubsub_does_not_know_is_refused" {
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
