# Counters of log entries. Each entry has an `action` (common/ragbase/telemetry.py).

locals {
  of_functions = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^${var.name}-\""

  log_metrics = {
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
