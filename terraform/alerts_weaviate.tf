# What nobody would see of a Weaviate on a VM: it becomes read-only when its disk is 90 % full, and it is killed when its
# memory is full. Container-Optimized OS sends both (guest metrics).

locals {
  vm = one(module.weaviate[*].instance)

  full = {
    disk = {
      by     = "device_name"
      above  = 0.75
      advice = "A disk of Weaviate's VM is filling up. At 90 % Weaviate becomes read-only: documents then wait. Raise disk_gib of weaviate_vm and deploy; the file system grows at the next start of Weaviate."
    }
    memory = {
      by     = "instance_id"
      above  = 0.85
      advice = "The memory of Weaviate's VM is filling up. All vectors should fit into it. Take a larger machine_type of weaviate_vm and deploy (docs/deploy.md)."
    }
  }

  weaviate_alerts = { for what, of in local.full : "${what}_of_weaviate" => {
    severity = "WARNING"
    advice   = of.advice
    for      = 600
    query    = <<-EOT
      sum by (${of.by}) (avg_over_time(compute_googleapis_com:guest_${what}_bytes_used{monitored_resource="gce_instance", instance_id="${local.vm.id}", state="used"}[5m]))
      / sum by (${of.by}) (avg_over_time(compute_googleapis_com:guest_${what}_bytes_used{monitored_resource="gce_instance", instance_id="${local.vm.id}"}[5m])) > ${of.above}
    EOT
  } if local.vm != null }
}

moved {
  from = google_monitoring_alert_policy.weaviate["disk"]
  to   = google_monitoring_alert_policy.this["disk_of_weaviate"]
}
moved {
  from = google_monitoring_alert_policy.weaviate["memory"]
  to   = google_monitoring_alert_policy.this["memory_of_weaviate"]
}
