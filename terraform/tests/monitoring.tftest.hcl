# Alerts, the dashboard and the budget.

mock_provider "google" {
  source          = "./tests/mocks"
  override_during = plan
}

run "every_address_gets_every_alert" {
  command = plan

  variables {
    alert_emails = ["oncall@example.com", "lead@example.com"]
  }

  assert {
    condition     = toset([for channel in values(google_monitoring_notification_channel.email) : channel.labels.email_address]) == toset(["oncall@example.com", "lead@example.com"])
    error_message = "An address gets no alerts."
  }

  assert {
    condition     = alltrue([for policy in concat(values(google_monitoring_alert_policy.this), values(google_monitoring_alert_policy.event)) : length(policy.notification_channels) == 2])
    error_message = "An alert does not go to all addresses."
  }
}

run "each_subscription_has_an_alert_that_names_it" {
  command = plan

  assert {
    condition     = alltrue([for name, lane in module.lane : strcontains(google_monitoring_alert_policy.this["dead_letters_of_${name}"].conditions[0].condition_prometheus_query_language[0].query, "subscription_dead_letter_message_count{monitored_resource=\"pubsub_subscription\", subscription_id=\"${lane.subscription}\"}")])
    error_message = "The alert does not say whose messages are given up."
  }
}

run "a_limit_of_an_alert_can_be_set" {
  command = plan

  variables {
    alert_when = { query_p95_seconds = 0.5, query_error_share = 0.01, oldest_seconds = { fast_lane = 77 } }
  }

  assert {
    condition     = strcontains(google_logging_metric.this["searched_slowly"].filter, "httpRequest.latency>\"0.5s\"")
    error_message = "A slow query has another limit."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["answered_burns_fast"].conditions[0].condition_prometheus_query_language[0].query, "> 0.144\n")
    error_message = "The budget of questions that fail is another one."
  }

  assert {
    condition     = strcontains(google_logging_metric.this["delivered_late"].filter, "jsonPayload.seconds>77") && strcontains(google_monitoring_alert_policy.this["fast_lane_stands_still"].conditions[0].condition_prometheus_query_language[0].query, "> 77\n")
    error_message = "A message that waits has another limit."
  }
}

run "every_alert_says_what_to_do" {
  command = plan

  assert {
    condition     = alltrue([for policy in concat(values(google_monitoring_alert_policy.this), values(google_monitoring_alert_policy.event)) : length(policy.documentation[0].content) > 80])
    error_message = "An alert does not say what to do."
  }
}

run "an_alert_needs_no_metric_that_does_not_exist_yet" {
  command = plan

  assert {
    condition     = alltrue([for policy in values(google_monitoring_alert_policy.this) : policy.conditions[0].condition_prometheus_query_language[0].disable_metric_validation])
    error_message = "Google refuses the alert until its counter has an entry, which may be never."
  }
}

run "people_who_read_data_are_logged_and_functions_are_not" {
  command = plan

  assert {
    condition     = toset(keys(google_project_iam_audit_config.access)) == toset(["storage.googleapis.com", "datastore.googleapis.com", "secretmanager.googleapis.com", "iap.googleapis.com"])
    error_message = "Somebody can read data, secrets or Weaviate, and no log has it."
  }

  assert {
    condition     = alltrue(flatten([for service in ["storage.googleapis.com", "datastore.googleapis.com"] : [for log in google_project_iam_audit_config.access[service].audit_log_config : toset(log.exempted_members) == toset([for account in values(google_service_account.function) : "serviceAccount:${account.email}"])]]))
    error_message = "Each document and question of the functions costs log entries, or somebody else is left out."
  }

  assert {
    condition     = alltrue([for log in google_project_iam_audit_config.access["secretmanager.googleapis.com"].audit_log_config : length(log.exempted_members) == 0])
    error_message = "Somebody reads secrets, and no log has it."
  }
}

run "the_dashboard_shows_documents_messages_and_queries" {
  command = plan

  assert {
    condition     = length(jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles) == 11
    error_message = "A chart is missing."
  }

  assert {
    condition     = alltrue([for word in ["ragbase/finished", "ragbase/failed", "ragbase/dead_letters", "ragbase/janitor_findings", "ragbase/sources_failed", "oldest_unacked_message_age", "num_undelivered_messages", "request_latencies"] : strcontains(google_monitoring_dashboard.this.dashboard_json, word)])
    error_message = "A chart is missing."
  }

  assert {
    condition     = alltrue([for tile in jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles : try(tile.xPos, 0) + tile.width <= 12])
    error_message = "A chart is wider than the page."
  }
}

run "the_dashboard_has_no_value_that_google_leaves_out" {
  command = plan

  assert {
    condition     = length(regexall("\":(0|\"\"|\\[\\]|\\{\\}|null|false)[,}]", google_monitoring_dashboard.this.dashboard_json)) == 0
    error_message = "Google does not store zero and empty values, so each plan would change the dashboard."
  }
}

run "an_api_that_is_always_awake_is_asked_from_outside" {
  command = plan

  variables {
    functions = { api = { min_instances = 1 } }
  }

  assert {
    condition     = google_monitoring_uptime_check_config.api[0].http_check[0].path == "/ready" && google_monitoring_uptime_check_config.api[0].http_check[0].service_agent_authentication[0].type == "OIDC_TOKEN" && google_cloud_run_v2_service_iam_member.monitoring[0].role == "roles/run.invoker"
    error_message = "Nobody notices that the api cannot be reached, or the check is not let through."
  }

  assert {
    condition     = length(google_monitoring_alert_policy.uptime) == 1
    error_message = "Nobody hears of it."
  }
}

run "an_api_that_sleeps_is_asked_where_somebody_hears_of_it" {
  command = plan

  variables {
    alert_emails = ["oncall@example.com"]
  }

  assert {
    condition     = length(google_monitoring_uptime_check_config.api) == 1 && length(google_monitoring_alert_policy.uptime) == 1
    error_message = "Without an instance that always runs, nobody hears that the api cannot be reached."
  }
}

run "an_api_that_sleeps_is_not_woken_up_for_nobody" {
  command = plan

  assert {
    condition     = length(google_monitoring_uptime_check_config.api) == 0
    error_message = "The check costs something and tells nobody."
  }
}

run "monitoring_filters_use_no_regular_expressions" {
  command = plan

  assert {
    condition     = !strcontains(google_monitoring_dashboard.this.dashboard_json, "=~")
    error_message = "Monitoring filters do not support =~."
  }
}

run "a_budget_is_in_the_currency_of_the_account_unless_one_is_named" {
  command = plan

  variables {
    budget = { billing_account = "012345-6789AB-CDEF01", amount = 300, currency = "CHF" }
  }

  assert {
    condition     = google_billing_budget.month[0].amount[0].specified_amount[0].currency_code == "CHF"
    error_message = "Google refuses a budget in another currency than that of the account."
  }
}

run "a_budget_warns_before_it_is_spent" {
  command = plan

  variables {
    budget = { billing_account = "012345-6789AB-CDEF01", amount = 300 }
  }

  assert {
    condition     = google_billing_budget.month[0].amount[0].specified_amount[0].units == "300" && toset(google_billing_budget.month[0].threshold_rules[*].threshold_percent) == toset([0.5, 0.9, 1])
    error_message = "The budget has another amount, or warns only when it is spent."
  }

  assert {
    condition     = one(google_billing_budget.month[0].budget_filter[0].projects) == "projects/123456789012"
    error_message = "The budget also counts other projects."
  }
}

run "a_billing_account_by_its_name_is_refused" {
  command = plan

  variables {
    budget = { billing_account = "My Billing Account", amount = 300 }
  }

  expect_failures = [var.budget]
}

run "a_log_level_above_info_is_refused" {
  command = plan

  variables {
    log_level = "WARNING"
  }

  expect_failures = [var.log_level]
}
