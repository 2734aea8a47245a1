# What nobody would see until it is needed: a snapshot of Weaviate's disk or a backup of Firestore does not come. A condition
# on absence is only met after there was one (https://docs.cloud.google.com/monitoring/alerts/metric-absence). These ask for
# what should have one, and has none.

locals {
  store_alerts = merge(
    local.vm == null ? {} : {
      no_snapshot_of_weaviate = {
        severity = "WARNING"
        advice   = "Compute Engine should take a snapshot of Weaviate's disk every 12 hours, and took none for a day. `gcloud compute resource-policies describe ${var.name}-weaviate-snapshots` shows the schedule, and the audit log of system events (ScheduledSnapshots) has the reason."
        for      = 0
        query    = <<-EOT
          count(count_over_time(compute_googleapis_com:instance_uptime{monitored_resource="gce_instance", instance_id="${local.vm.id}"}[1h] offset 1d))
          unless on() sum(increase(logging_googleapis_com:user_${replace(google_logging_metric.snapshots[0].name, "/[^A-Za-z0-9_]/", "_")}{monitored_resource="gce_disk"}[1d])) > 0
        EOT
      }
    },
    # Google tells of no backup that fails: there is neither a metric nor a log entry for it. Each one adds to the size of
    # all, and goes after backup_days: without new ones, the size shrinks by a share each day.
    length(google_firestore_backup_schedule.daily) == 0 ? {} : {
      no_backup_of_firestore = {
        severity = "WARNING"
        advice   = "Firestore should make a backup each day, and some are missing: the size of all backups is 0, or has shrunk by more than two of ${var.database.backup_days} days. `gcloud firestore backups list` shows each with its state. If you have deleted many documents, the alert ends by itself."
        for      = 3600
        query    = <<-EOT
          count(count_over_time(${local.of_database.data}[1d] offset 2d))
          unless on() sum(last_over_time(${local.of_database.backups}[1d])) > ${1 - 2.5 / max(var.database.backup_days, 5)} * sum(max_over_time(${local.of_database.backups}[${min(var.database.backup_days, 7)}d])) > 0
        EOT
      }
    },
  )
  of_database = { for name, metric in { data = "data_and_index", backups = "backups" } : name => "firestore_googleapis_com:storage_${metric}_storage_bytes{database_id=\"${local.database}\"}" }
}

resource "google_logging_metric" "snapshots" {
  count       = local.vm == null ? 0 : 1
  project     = var.project
  name        = "${var.name}-snapshots"
  description = "Snapshots of Weaviate's disk that were taken."
  filter      = "resource.type=\"gce_disk\" AND log_id(\"cloudaudit.googleapis.com/system_event\") AND protoPayload.methodName=\"ScheduledSnapshots\" AND protoPayload.resourceName:\"/disks/${local.vm.disk}\" AND NOT severity>=ERROR"
  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
  }
  depends_on = [google_project_service.required]
}

moved {
  from = google_monitoring_alert_policy.snapshots[0]
  to   = google_monitoring_alert_policy.this["no_snapshot_of_weaviate"]
}
