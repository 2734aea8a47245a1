# What is told to whom, and when.

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

run "everybody_who_is_named_gets_every_alert" {
  command = plan

  variables {
    alert_emails = ["oncall@example.com", "lead@example.com"]
  }

  assert {
    condition     = toset([for channel in values(google_monitoring_notification_channel.email) : channel.labels.email_address]) == toset(["oncall@example.com", "lead@example.com"])
    error_message = "Somebody is not told."
  }

  assert {
    condition     = alltrue([for policy in concat(values(google_monitoring_alert_policy.this), [google_monitoring_alert_policy.scheduler]) : length(policy.notification_channels) == 2])
    error_message = "An alert tells nobody."
  }
}

run "one_dead_letter_is_enough_for_an_alert" {
  command = plan

  assert {
    condition     = alltrue([for condition in google_monitoring_alert_policy.this["dead_letters"].conditions : condition.condition_threshold[0].threshold_value == 0 && condition.condition_threshold[0].comparison == "COMPARISON_GT"])
    error_message = "Some dead letters are not worth a word."
  }

  assert {
    condition     = anytrue([for condition in google_monitoring_alert_policy.this["dead_letters"].conditions : strcontains(condition.condition_threshold[0].filter, google_pubsub_subscription.kept.name)])
    error_message = "What waits for a person does not tell him."
  }
}

run "a_lane_that_stands_still_is_told_of" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : anytrue([for condition in google_monitoring_alert_policy.this["oldest_message"].conditions : strcontains(condition.condition_threshold[0].filter, "\"${lane.subscription}\"") && strcontains(condition.condition_threshold[0].filter, "oldest_unacked_message_age")])])
    error_message = "Nobody learns that a lane stands still."
  }
}

run "a_share_of_failures_is_of_what_was_finished" {
  command = plan

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["failure_rate"].conditions[0].condition_threshold[0].filter, "ragbase/failed") && strcontains(google_monitoring_alert_policy.this["failure_rate"].conditions[0].condition_threshold[0].denominator_filter, "ragbase/finished") && google_monitoring_alert_policy.this["failure_rate"].conditions[0].condition_threshold[0].threshold_value == 0.05
    error_message = "The failure rate is of something else."
  }
}

run "slow_and_failing_queries_are_told_of" {
  command = plan

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["query_latency"].conditions[0].condition_threshold[0].filter, module.function["api"].service) && google_monitoring_alert_policy.this["query_latency"].conditions[0].condition_threshold[0].threshold_value == 3000
    error_message = "Queries of more than 3 s (in ms) tell nobody."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["query_errors"].conditions[0].condition_threshold[0].filter, "5xx") && google_monitoring_alert_policy.this["query_errors"].conditions[0].condition_threshold[0].threshold_value == 0.02
    error_message = "Failing queries tell nobody."
  }
}

run "a_limit_of_an_alert_can_be_set" {
  command = plan

  variables {
    alert_when = { query_p95_seconds = 0.5 }
  }

  assert {
    condition     = google_monitoring_alert_policy.this["query_latency"].conditions[0].condition_threshold[0].threshold_value == 500
    error_message = "The limit is not the one that was set."
  }
}

run "the_janitor_tells_what_it_finds_and_when_it_does_not_run" {
  command = plan

  assert {
    condition     = strcontains(google_logging_metric.this["janitor_findings"].filter, "janitor.finding")
    error_message = "The janitor's findings are not counted."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["janitor_findings"].conditions[0].condition_threshold[0].filter, "ragbase/janitor_findings") && strcontains(google_monitoring_alert_policy.scheduler.conditions[0].condition_matched_log[0].filter, "janitor")
    error_message = "A janitor that does not run is not missed."
  }
}

run "every_alert_says_what_to_do" {
  command = plan

  assert {
    condition     = alltrue([for policy in concat(values(google_monitoring_alert_policy.this), [google_monitoring_alert_policy.scheduler]) : length(policy.documentation[0].content) > 80])
    error_message = "An alert leaves one alone."
  }
}

run "the_dashboard_shows_the_way_of_a_document" {
  command = plan

  assert {
    condition     = length(jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles) == 10
    error_message = "A chart is missing."
  }

  assert {
    condition     = alltrue([for word in ["ragbase/finished", "ragbase/failed", "ragbase/dead_letters", "ragbase/janitor_findings", "oldest_unacked_message_age", "num_undelivered_messages", "request_latencies"] : strcontains(google_monitoring_dashboard.this.dashboard_json, word)])
    error_message = "A chart is missing."
  }

  assert {
    condition     = alltrue([for tile in jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles : tile.xPos + tile.width <= 12])
    error_message = "A chart is beyond the page."
  }
}

run "a_budget_warns_before_it_is_spent" {
  command = plan

  variables {
    budget = { billing_account = "012345-6789AB-CDEF01", amount = 300 }
  }

  assert {
    condition     = google_billing_budget.month[0].amount[0].specified_amount[0].units == "300" && toset(google_billing_budget.month[0].threshold_rules[*].threshold_percent) == toset([0.5, 0.9, 1])
    error_message = "The budget is another one, or tells only when it is spent."
  }

  assert {
    condition     = one(google_billing_budget.month[0].budget_filter[0].projects) == "projects/123456789012"
    error_message = "The budget is of other projects, too."
  }
}

run "a_billing_account_by_its_name_is_refused" {
  command = plan

  variables {
    budget = { billing_account = "My Billing Account", amount = 300 }
  }

  expect_failures = [var.budget]
}

run "a_log_below_what_the_alerts_count_is_refused" {
  command = plan

  variables {
    log_level = "WARNING"
  }

  expect_failures = [var.log_level]
}

run "filters_are_in_the_language_of_those_who_read_them" {
  command = plan

  assert {
    condition     = !strcontains(google_monitoring_dashboard.this.dashboard_json, "=~") && !anytrue(flatten([for policy in values(google_monitoring_alert_policy.this) : [for condition in policy.conditions : strcontains(condition.condition_threshold[0].filter, "=~")]]))
    error_message = "Monitoring's filters know no =~."
  }
}
