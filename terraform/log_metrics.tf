# Counters of log entries. Each entry has an `action` (common/ragbase/telemetry.py).

locals {
  of_functions = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^${var.name}-\""

  # What Cloud Run logs of each request to the api. Answers may stream for long, so only queries are timed.
  of_requests = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${var.name}-api\" AND log_id(\"run.googleapis.com/requests\")"
  of_asking   = "${local.of_requests} AND httpRequest.requestUrl=~\"^https://[^/]+/api/(query|answer)([?]|$)\""
  of_queries  = "${local.of_requests} AND httpRequest.requestUrl=~\"^https://[^/]+/api/query([?]|$)\" AND httpRequest.status<500"

  log_metrics = {
    delivered = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"push.done\""
      description = "Messages that a function has worked off: events of the bucket, and jobs of documents."
    }
    delivered_late = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"push.done\" AND (${join(" OR ", [for name, lane in local.lanes : "(resource.labels.service_name=\"${replace("${var.name}-${lane.function}", "_", "-")}\" AND jsonPayload.seconds>${lookup(var.alert_when.oldest_seconds, name, lane.oldest)})"])})"
      description = "Those that were done later than they should wait (oldest)."
    }
    asked = {
      filter      = local.of_asking
      description = "Questions: requests to /api/query and /api/answer."
    }
    asked_failed = {
      filter      = "${local.of_asking} AND httpRequest.status>=500"
      description = "Questions that failed by an error of ours or of a service."
    }
    searched = {
      filter      = local.of_queries
      description = "Queries that got a result, or were refused."
    }
    searched_slowly = {
      filter      = "${local.of_queries} AND httpRequest.latency>\"${var.alert_when.query_p95_seconds}s\""
      description = "Those that took longer than query_p95_seconds."
    }
    finished = {
      filter      = "${local.of_functions} AND jsonPayload.action=(\"process.completed\" OR \"process.failed\")"
      description = "Documents whose processing ended, with or without success."
    }
    failed = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"process.failed\""
      description = "Documents that became FAILED. Each has a code and a reason."
    }
    dead_letters = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"dead_letter\""
      description = "Messages that became dead letters."
    }
    given_up = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"process.given_up\""
      description = "Jobs that a lane gave up, after its last attempt or the longest wait."
    }
    sources_failed = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"source.failed\""
      description = "Runs of scheduled sources that failed."
    }
    janitor_findings = {
      filter      = "${local.of_functions} AND jsonPayload.action=\"janitor.finding\""
      description = "Differences between the bucket, the records and Weaviate."
    }
  }
}

resource "google_logging_metric" "this" {
  for_each    = local.log_metrics
  project     = var.project
  name        = "${var.name}/${each.key}"
  description = each.value.description
  filter      = each.value.filter
  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"
  }
  depends_on = [google_project_service.required]
}
