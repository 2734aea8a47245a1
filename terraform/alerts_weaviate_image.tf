# The first deploy of each month makes Weaviate's VM again with the newest image of its system (modules/weaviate/boot_image.tf).
# This tells when there was none. The metric begins again at each start of the VM, so a stop in between delays the alert.

resource "google_monitoring_alert_policy" "weaviate_image" {
  count                 = local.vm == null ? 0 : 1
  project               = var.project
  display_name          = "${var.name}: old system under Weaviate"
  severity              = "WARNING"
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = "40 days since the VM was made or started"
    condition_threshold {
      filter          = "resource.type=\"gce_instance\" AND resource.labels.instance_id=\"${local.vm.id}\" AND metric.type=\"compute.googleapis.com/instance/uptime_total\""
      comparison      = "COMPARISON_GT"
      threshold_value = 40 * 86400
      duration        = "0s"
      aggregations {
        alignment_period   = "3600s"
        per_series_aligner = "ALIGN_MAX"
      }
    }
  }

  alert_strategy {
    auto_close = "86400s"
  }
  documentation {
    content   = "Weaviate's VM has had no security fixes for 40 days. `./scripts/deploy ENV` makes it again with the newest image, and keeps the disk with the data. For some minutes, documents wait and queries get 503."
    mime_type = "text/markdown"
  }
}
