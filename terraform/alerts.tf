# The alerts on metrics, as queries in PromQL, and how they reach somebody. Each alert says what to do.
#
# Google recommends PromQL, and has ended its support for MQL
# (https://docs.cloud.google.com/stackdriver/docs/deprecations/mql). tests/terraform/test_alerts.py runs each query on series.
# A query is met if it returns anything, so it also ends where a counter writes nothing: what happens again is told again.
# alerts_events.tf has the alerts on single log entries.

locals {
  # The names in PromQL (https://cloud.google.com/monitoring/promql/promql-mapping).
  counted = { for name, metric in google_logging_metric.this : name => "logging_googleapis_com:user_${replace(metric.name, "/[^A-Za-z0-9_]/", "_")}{monitored_resource=\"cloud_run_revision\"" }

  # `query` is met for `for` seconds.
  alerts = merge(local.dead_letter_alerts, local.service_level_alerts, local.store_alerts, local.weaviate_alerts, {
    for name, lane in local.lanes : "${name}_stands_still" => {
      severity = "ERROR"
      advice   = "Messages wait for ${lane.function}, and none was done for a quarter of an hour. Look at the function's log: it fails, or waits for Weaviate or ${local.embedding_service} (docs/operate.md, Alerts)."
      for      = 300
      query    = <<-EOT
        max(max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource="pubsub_subscription", subscription_id="${module.lane[name].subscription}"}[5m])) > ${lookup(var.alert_when.oldest_seconds, name, lane.oldest)}
        unless on() sum(increase(${local.counted.delivered}, service_name="${module.function[lane.function].service}"}[15m])) > 0
      EOT
    }
    }, {
    failure_rate = {
      severity = "WARNING"
      advice   = "Many documents fail. GET /api/documents?status=FAILED lists them with their codes. Many equal codes have one cause, for example a new file type or an expired key."
      for      = 0
      query    = <<-EOT
        sum(increase(${local.counted.failed}}[30m])) / sum(increase(${local.counted.finished}}[30m])) > ${var.alert_when.failed_share}
        and sum(increase(${local.counted.finished}}[30m])) >= ${local.least}
      EOT
    }
  })

  # A share of fewer documents or questions says nothing.
  least = 20
}

resource "google_monitoring_notification_channel" "email" {
  for_each     = toset(var.alert_emails)
  project      = var.project
  display_name = "ragbase: ${each.value}"
  type         = "email"
  labels       = { email_address = each.value }
  depends_on   = [google_project_service.required]
}

resource "google_monitoring_alert_policy" "this" {
  for_each              = local.alerts
  project               = var.project
  display_name          = "${var.name}: ${replace(each.key, "_", " ")}"
  severity              = each.value.severity
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = replace(each.key, "_", " ")
    condition_prometheus_query_language {
      query               = trimspace(each.value.query)
      duration            = "${each.value.for}s"
      evaluation_interval = "60s"
      # Google knows a counter of log entries only after its first entry.
      disable_metric_validation = true
    }
  }

  alert_strategy {
    auto_close = "1800s" # the shortest; if there is no data at all
  }
  documentation {
    content   = each.value.advice
    mime_type = "text/markdown"
  }
}
