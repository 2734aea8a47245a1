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
    condition     = alltrue([for policy in concat(values(google_monitoring_alert_policy.this), [google_monitoring_alert_policy.scheduler]) : length(policy.notification_channels) == 2])
    error_message = "An alert does not go to all addresses."
  }
}

run "one_dead_letter_is_enough_for_an_alert" {
  command = plan

  assert {
    condition     = alltrue(flatten([for name in keys(local.lanes) : [for condition in google_monitoring_alert_policy.this["dead_letters_of_${name}"].conditions : condition.condition_threshold[0].threshold_value == 0 && condition.condition_threshold[0].duration == "0s" && condition.condition_threshold[0].comparison == "COMPARISON_GT"]]))
    error_message = "A dead letter causes no alert."
  }

  assert {
    condition     = anytrue([for condition in google_monitoring_alert_policy.this["dead_letters_of_dead_letter"].conditions : strcontains(condition.condition_threshold[0].filter, google_pubsub_subscription.kept.name)])
    error_message = "A message in the kept subscription causes no alert."
  }
}

run "each_subscription_has_an_alert_that_names_it" {
  command = plan

  assert {
    condition     = alltrue([for name, lane in module.lane : strcontains(google_monitoring_alert_policy.this["dead_letters_of_${name}"].conditions[0].display_name, lane.subscription) && strcontains(google_monitoring_alert_policy.this["dead_letters_of_${name}"].conditions[0].condition_threshold[0].filter, "subscription_id=\"${lane.subscription}\" AND metric.type=\"pubsub.googleapis.com/subscription/dead_letter_message_count\"")])
    error_message = "The alert does not say whose messages are given up."
  }

  assert {
    condition     = alltrue([for name in ["fast_lane", "heavy_lane"] : strcontains(google_monitoring_alert_policy.this["dead_letters_of_${name}"].conditions[1].condition_threshold[0].filter, "ragbase/given_up") && endswith(google_monitoring_alert_policy.this["dead_letters_of_${name}"].conditions[1].condition_threshold[0].filter, "service_name=\"${module.function[name].service}\"")]) && strcontains(google_logging_metric.this["given_up"].filter, "\"process.given_up\"")
    error_message = "A job that a lane gives up causes no alert of that lane."
  }
}

run "a_lane_that_stands_still_causes_an_alert" {
  command = plan

  assert {
    condition     = alltrue([for lane in values(module.lane) : anytrue([for condition in google_monitoring_alert_policy.this["oldest_message"].conditions : strcontains(condition.condition_threshold[0].filter, "\"${lane.subscription}\"") && strcontains(condition.condition_threshold[0].filter, "oldest_unacked_message_age")])])
    error_message = "A lane that stands still causes no alert."
  }
}

run "the_failure_rate_is_a_share_of_finished_documents" {
  command = plan

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["failure_rate"].conditions[0].condition_threshold[0].filter, "ragbase/failed") && strcontains(google_monitoring_alert_policy.this["failure_rate"].conditions[0].condition_threshold[0].denominator_filter, "ragbase/finished") && google_monitoring_alert_policy.this["failure_rate"].conditions[0].condition_threshold[0].threshold_value == 0.05
    error_message = "The failure rate is not failed documents / finished documents, or has another limit."
  }
}

run "slow_and_failing_queries_cause_alerts" {
  command = plan

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["query_latency"].conditions[0].condition_threshold[0].filter, module.function["api"].service) && google_monitoring_alert_policy.this["query_latency"].conditions[0].condition_threshold[0].threshold_value == 3000
    error_message = "Queries of more than 3 s cause no alert. The limit is in ms."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["query_errors"].conditions[0].condition_threshold[0].filter, "5xx") && google_monitoring_alert_policy.this["query_errors"].conditions[0].condition_threshold[0].threshold_value == 0.02
    error_message = "Failing queries cause no alert."
  }
}

run "a_limit_of_an_alert_can_be_set" {
  command = plan

  variables {
    alert_when = { query_p95_seconds = 0.5 }
  }

  assert {
    condition     = google_monitoring_alert_policy.this["query_latency"].conditions[0].condition_threshold[0].threshold_value == 500
    error_message = "The alert has another limit."
  }
}

run "findings_and_failed_calls_of_the_janitor_cause_alerts" {
  command = plan

  assert {
    condition     = strcontains(google_logging_metric.this["janitor_findings"].filter, "janitor.finding")
    error_message = "The janitor's findings are not counted."
  }

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["janitor_findings"].conditions[0].condition_threshold[0].filter, "ragbase/janitor_findings") && strcontains(google_monitoring_alert_policy.scheduler.conditions[0].condition_matched_log[0].filter, "janitor")
    error_message = "Findings or failed calls of the janitor cause no alert."
  }
}

run "a_source_that_fails_and_a_failed_call_cause_alerts" {
  command = plan

  assert {
    condition     = strcontains(google_logging_metric.this["sources_failed"].filter, "\"source.failed\"") && strcontains(google_monitoring_alert_policy.this["sources_failed"].conditions[0].condition_threshold[0].filter, "ragbase/sources_failed") && google_monitoring_alert_policy.this["sources_failed"].conditions[0].condition_threshold[0].threshold_value == 0
    error_message = "A source that fails causes no alert."
  }

  assert {
    condition     = can(regex(regex("job_id=~\"([^\"]+)\"", google_monitoring_alert_policy.scheduler.conditions[0].condition_matched_log[0].filter)[0], google_cloud_scheduler_job.sources.name))
    error_message = "A failed call of the sources causes no alert."
  }
}

run "every_alert_says_what_to_do" {
  command = plan

  assert {
    condition     = alltrue([for policy in concat(values(google_monitoring_alert_policy.this), [google_monitoring_alert_policy.scheduler]) : length(policy.documentation[0].content) > 80])
    error_message = "An alert does not say what to do."
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

run "an_api_that_sleeps_is_not_woken_up" {
  command = plan

  assert {
    condition     = length(google_monitoring_uptime_check_config.api) == 0
    error_message = "The check keeps an instance running that nobody needs."
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

run "monitoring_filters_use_no_regular_expressions" {
  command = plan

  assert {
    condition     = !strcontains(google_monitoring_dashboard.this.dashboard_json, "=~") && !anytrue(flatten([for policy in values(google_monitoring_alert_policy.this) : [for condition in policy.conditions : strcontains(condition.condition_threshold[0].filter, "=~")]]))
    error_message = "Monitoring filters do not support =~."
  }
}
