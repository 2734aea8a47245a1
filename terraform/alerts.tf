# What somebody should know without looking, each with what to do about it.

locals {
  logged = { for name, metric in google_logging_metric.this : name => "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/${metric.name}\"" }
  api    = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${module.function["api"].service}\""

  # A condition: what is counted (`of` makes it a share), how, and from which value on for how many seconds.
  alerts = {
    dead_letters = {
      severity = "ERROR"
      advice   = "A message was given up: its document is FAILED, with the reason. Mend the cause, then `ragbase dead-letters replay` (docs/operate.md). What waits in the kept subscription could not even be recorded (docs/deploy.md, Dead letters)."
      conditions = [
        { name = "a message was given up", filter = local.logged.dead_letters, of = null, aligner = "ALIGN_DELTA", above = 0, for = 0 },
        {
          name   = "something waits in ${google_pubsub_subscription.kept.name}"
          filter = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${google_pubsub_subscription.kept.name}\" AND metric.type=\"pubsub.googleapis.com/subscription/num_undelivered_messages\""
          of     = null, aligner = "ALIGN_MAX", above = 0, for = 0
        },
      ]
    }
    oldest_message = {
      severity = "WARNING"
      advice   = "A lane does not keep up or its function fails. Look at the function's log; raise its max_instances where it only has too much to do, unless Weaviate or Cohere is what is slow."
      conditions = [for name, lane in local.lanes : {
        name   = "${module.lane[name].subscription} waits too long"
        filter = "resource.type=\"pubsub_subscription\" AND resource.labels.subscription_id=\"${module.lane[name].subscription}\" AND metric.type=\"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
        of     = null, aligner = "ALIGN_MAX", above = lookup(var.alert_when.oldest_seconds, name, lane.oldest), for = 300
      }]
    }
    failure_rate = {
      severity   = "WARNING"
      advice     = "Many documents fail. GET /api/documents?status=FAILED tells the codes: many of one kind are one cause, as a new kind of file or a key that ran out."
      conditions = [{ name = "share of documents that fail", filter = local.logged.failed, of = local.logged.finished, aligner = "ALIGN_DELTA", above = var.alert_when.failed_share, for = 900 }]
    }
    query_latency = {
      severity = "WARNING"
      advice   = "Queries are slow. Cold starts show as few, very slow ones: raise the api's min_instances. Else look at Weaviate's and Cohere's answers in the api's log."
      conditions = [{
        name   = "95 of 100 requests take longer"
        filter = "${local.api} AND metric.type=\"run.googleapis.com/request_latencies\""
        of     = null, aligner = "ALIGN_PERCENTILE_95", above = var.alert_when.query_p95_seconds * 1000, for = 300
      }]
    }
    query_errors = {
      severity = "ERROR"
      advice   = "Queries fail. 503 is Weaviate, Firestore or Cohere being away; 500 is a fault of ours, with its traceback in the api's log."
      conditions = [{
        name    = "share of requests that fail"
        filter  = "${local.api} AND metric.type=\"run.googleapis.com/request_count\" AND metric.labels.response_code_class=\"5xx\""
        of      = "${local.api} AND metric.type=\"run.googleapis.com/request_count\""
        aligner = "ALIGN_DELTA", above = var.alert_when.query_error_share, for = 300
      }]
    }
    janitor_findings = {
      severity   = "WARNING"
      advice     = "Bucket, records and Weaviate disagreed: events got lost or workers died on the way. Each entry of the log (action janitor.finding) tells the document, what it is, and whether it was repaired."
      conditions = [{ name = "the janitor had to mend something", filter = local.logged.janitor_findings, of = null, aligner = "ALIGN_DELTA", above = 0, for = 0 }]
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
  for_each              = local.alerts
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

# A clock that fails tells nobody by itself: neither the janitor nor, on an own VM, the snapshots.
resource "google_monitoring_alert_policy" "scheduler" {
  project               = var.project
  display_name          = "${var.name}: a scheduled call fails"
  severity              = "WARNING"
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = "the janitor or a snapshot was called in vain"
    condition_matched_log {
      filter = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=~\"^${var.name}-(janitor|weaviate-snapshot-.*)$\" AND severity>=ERROR"
    }
  }
  alert_strategy {
    auto_close = "86400s"
    notification_rate_limit {
      period = "3600s"
    }
  }
  documentation {
    content   = "Cloud Scheduler's log tells the answer that the call got. The janitor's own log tells more, a snapshot's reason is in the audit log of Compute Engine."
    mime_type = "text/markdown"
  }
  depends_on = [google_project_service.required]
}
