# The alerts on single log entries. While an incident is open, another entry sends another notification, at most one in
# `period` and 20 a day (https://cloud.google.com/monitoring/alerts/log-based-incidents).

locals {
  events = {
    sources_failed = {
      filter = "${local.of_functions} AND jsonPayload.action=\"source.failed\""
      period = 3600
      advice = "A run of a scheduled source failed, and its documents stay as they were. The log entry (action source.failed) names the source and the reason, and so does `ragbase sources list`. Fix the cause, then run `ragbase sources run NAME`, or wait for the next run (docs/sources.md, By schedule)."
    }
    # A few that are repaired are normal after a crash.
    janitor_findings = {
      filter = "${local.of_functions} AND jsonPayload.action=\"janitor.findings\" AND (jsonPayload.left>0 OR jsonPayload.findings>=${local.least})"
      period = 21600
      advice = "The bucket, the records and Weaviate did not agree in many places, or the janitor could not repair what it found: events were lost, or workers died. Each log entry (action janitor.finding) names the document and the problem. `ragbase reconcile` shows what is left; look at the router's log, too."
    }
    # A scheduled call that fails, of the janitor or of the sources, causes no other alert.
    scheduled_call_fails = {
      filter = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=~\"^${var.name}-(janitor|sources)$\" AND severity>=ERROR"
      period = 3600
      advice = "Cloud Scheduler's log has the answer to the call. The log of the janitor, or of the sources, says more."
    }
  }
}

resource "google_monitoring_alert_policy" "event" {
  for_each              = local.events
  project               = var.project
  display_name          = "${var.name}: ${replace(each.key, "_", " ")}"
  severity              = "WARNING"
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = replace(each.key, "_", " ")
    condition_matched_log {
      filter = each.value.filter
    }
  }
  alert_strategy {
    auto_close = "86400s"
    notification_rate_limit {
      period = "${each.value.period}s"
    }
  }
  documentation {
    content   = each.value.advice
    mime_type = "text/markdown"
  }
  depends_on = [google_project_service.required]
}

moved {
  from = google_monitoring_alert_policy.scheduler
  to   = google_monitoring_alert_policy.event["scheduled_call_fails"]
}
moved {
  from = google_monitoring_alert_policy.this["sources_failed"]
  to   = google_monitoring_alert_policy.event["sources_failed"]
}
moved {
  from = google_monitoring_alert_policy.this["janitor_findings"]
  to   = google_monitoring_alert_policy.event["janitor_findings"]
}
