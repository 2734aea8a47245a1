# What nobody would see of a Weaviate on a VM: it becomes read-only when its disk is 90 % full, and it is killed when its
# memory is full. Container-Optimized OS sends both (guest metrics).

locals {
  vm    = one(module.weaviate[*].instance)
  guest = local.vm == null ? "" : "resource.type=\"gce_instance\" AND resource.labels.instance_id=\"${local.vm.id}\" AND metric.type=\"compute.googleapis.com/guest"

  full = local.vm == null ? {} : {
    disk = {
      of     = "${local.guest}/disk/bytes_used\""
      group  = ["metric.label.device_name"]
      above  = 0.75
      advice = "A disk of Weaviate's VM is filling up. At 90 % Weaviate becomes read-only: documents then wait. Raise disk_gib of weaviate_vm and deploy; the file system grows at the next start of Weaviate."
    }
    memory = {
      of     = "${local.guest}/memory/bytes_used\""
      group  = []
      above  = 0.85
      advice = "The memory of Weaviate's VM is filling up. All vectors should fit into it. Take a larger machine_type of weaviate_vm and deploy (docs/deploy.md)."
    }
  }
}

resource "google_monitoring_alert_policy" "weaviate" {
  for_each              = local.full
  project               = var.project
  display_name          = "${var.name}: ${each.key} of Weaviate"
  severity              = "WARNING"
  combiner              = "OR"
  notification_channels = values(google_monitoring_notification_channel.email)[*].id
  user_labels           = var.labels

  conditions {
    display_name = "share of the ${each.key} in use"
    condition_threshold {
      filter             = "${each.value.of} AND metric.labels.state=\"used\""
      denominator_filter = each.value.of
      comparison         = "COMPARISON_GT"
      threshold_value    = each.value.above
      duration           = "600s"
      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_MEAN"
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = each.value.group
      }
      denominator_aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_MEAN"
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = each.value.group
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
