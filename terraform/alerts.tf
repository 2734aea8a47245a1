# The alerts. Each says what to do.

locals {
  logged = { for name, metric in google_logging_metric.this : name => "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${metric.name}\"" }
  api    = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${module.function["api"].service}\""

  # A condition is met if the value of `filter` stays above `above` for `for` seconds. With `of`, the value is filter / of.
  alerts = {
    oldest_message = {
      severity = "WARNING"
      advice   = "A lane is too slow, or its function fails. Look at the function's log. If the function only has too much work, raise its max_instances. This does not help if Weaviate or Cohere is slow."
      conditions = [for name, lane in local.lanes : {
        name   = "${module.lane[name].subscription} waits too long"
        filter = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${module.lane[name].subscription}\" AND metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
        of     = null, aligner = "ALIGN_MAX", above = lookup(var.alert_when.oldest_seconds, name, lane.oldest), for = 300
      }]
    }
    failure_rate = {
      severity   = "WARNING"
      advice     = "Many documents fail. GET /api/documents?status=FAILED lists them with their codes. Many equal codes have one cause, for example a new file type or an expired key."
      conditions = [{ name = "share of failed documents", filter = local.logged.failed, of = local.logged.finished, aligner = "ALIGN_DELTA", above = var.alert_when.failed_share, for = 900 }]
    }
    query_latency = {
      severity = "WARNING"
      advice   = "Queries are slow. If only a few are very slow, the cause is cold starts: raise the api's min_instances. Otherwise look in the api's log for slow answers of Weaviate and Cohere."
      conditions = [{
        name   = "95th percentile of request times"
        filter = "${local.api} AND metric.type=\"run.googleapis.com/request_latencies\""
        of     = null, aligner = "ALIGN_PERCENTILE_95", above = var.alert_when.query_p95_seconds * 1000, for = 300
      }]
    }
    query_errors = {
      severity = "ERROR"
      advice   = "Queries fail. 503 means that Weaviate, Firestore or Cohere is not available. 500 is an error in ragbase; the api's log has the traceback."
      conditions = [{
        name    = "share of failed requests"
        filter  = "${local.api} AND metric.type=\"run.googleapis.com/request_count\" AND metric.labels.response_code_class=\"5xx\""
        of      = "${local.api} AND metric.type=\"run.googleapis.com/request_count\""
        aligner = "ALIGN_DELTA", above = var.alert_when.query_error_share, for = 300
      }]
    }
    sources_failed = {
      severity   = "WARNING"
      advice     = "A run of a scheduled source failed, and its documents stay as they were. The log entry (action source.failed) names the source and the reason, and so does `ragbase sources list`. Fix the cause, then run `ragbase sources run NAME`, or wait for the next run (docs/sources.md, By schedule)."
      conditions = [{ name = "a scheduled source failed", filter = local.logged.sources_failed, of = null, aligner = "ALIGN_DELTA", above = 0, for = 0 }]
    }
    janitor_findings = {
      severity   = "WARNING"
      advice     = "The bucket, the records and Weaviate did not agree: events were lost, or workers died. Each log entry (action janitor.finding) names the document and the problem, and says whether the janitor repaired it."
      conditions = [{ name = "the janitor found a problem", filter = local.logged.janitor_findings, of = null, aligner = "ALIGN_DELTA", above = 0, for = 0 }]
    }
  }
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
  for_each              = merge(local.alerts, local.dead_letter_alerts)
  project               = var.project
  display_name          = "${var.name}: ${replace(each.key, "_", " ")}"
  severity              = each.value.severity
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  dynamic "conditions" {
    for_each = each.value.conditions
    content {
      display_name = conditions.value.name
      condition_threshold {
        filter             = conditions.value.filter
        denominator_filter = conditions.value.of
        comparison         = "COMPARISON_GT"
        threshold_value    = conditions.value.above
        duration           = "${conditions.value.for}s"
        aggregations {
          alignment_period     = "300s"
          per_series_aligner   = conditions.value.aligner
          cross_series_reducer = conditions.value.aligner == "ALIGN_DELTA" ? "REDUCE_SUM" : "REDUCE_MAX"
        }
        dynamic "denominator_aggregations" {
          for_each = conditions.value.of == null ? [] : [conditions.value.aligner]
          content {
            alignment_period     = "300s"
            per_series_aligner   = denominator_aggregations.value
            cross_series_reducer = "REDUCE_SUM"
          }
        }
      }
    }
  }

  alert_strategy {
    auto_close = "86400s"
  }
  documentation {
    content   = each.value.advice
    mime_type = "text/markdown"
  }
}

# A scheduled call that fails, of the janitor or of the sources, causes no other alert.
resource "google_monitoring_alert_policy" "scheduler" {
  project               = var.project
  display_name          = "${var.name}: a scheduled call fails"
  severity              = "WARNING"
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = "a call of the janitor or of the sources failed"
    condition_matched_log {
      filter = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=~\"^${var.name}-(janitor|sources)$\" AND severity>=ERROR"
    }
  }
  alert_strategy {
    auto_close = "86400s"
    notification_rate_limit {
      period = "3600s"
    }
  }
  documentation {
    content   = "Cloud Scheduler's log has the answer to the call. The log of the janitor, or of the sources, says more."
    mime_type = "text/markdown"
  }
  depends_on = [google_project_service.required]
}
