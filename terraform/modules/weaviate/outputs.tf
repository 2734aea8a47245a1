# Plain HTTP is enough here: the network contains nothing else, and Google encrypts the traffic between its machines.
output "url" {
  description = "The URL for HTTP."
  value       = "http://${google_compute_address.vm.address}:8080"
}

output "grpc_url" {
  description = "The URL for gRPC."
  value       = "http://${google_compute_address.vm.address}:50051"
}

output "network" {
  description = "The network and the subnetwork from which the functions reach Weaviate."
  value       = { network = google_compute_network.this.id, subnetwork = google_compute_subnetwork.functions.id }
}

output "instance" {
  description = "The VM: its name, the id that its metrics have, its zone, and its disk for data."
  value       = { name = google_compute_instance.this.name, id = google_compute_instance.this.instance_id, zone = var.zone, disk = google_compute_disk.data.name, disk_gib = var.disk_gib }
}

output "promises" {
  description = "The values that the tests check."
  value = {
    public_addresses = flatten(google_compute_instance.this.network_interface[*].access_config)
    from             = google_compute_firewall.functions.source_ranges
    ports            = flatten([for rule in google_compute_firewall.functions.allow : rule.ports])
    denies           = [for rule in google_compute_firewall.nothing_else.deny : rule.protocol]
    google_access    = google_compute_subnetwork.vm.private_ip_google_access
    data_disk        = google_compute_instance.this.attached_disk[*].source
    disk             = google_compute_disk.data.id
    disk_name        = google_compute_disk.data.name
    disk_key         = one(google_compute_disk.data.disk_encryption_key[*].kms_key_self_link)
    disk_deletion    = google_compute_disk.data.deletion_policy
    last_snapshot    = google_compute_disk.data.create_snapshot_before_destroy
    snapshot_hours   = google_compute_resource_policy.snapshots.snapshot_schedule_policy[0].schedule[0].hourly_schedule[0].hours_in_cycle
    snapshot_days    = google_compute_resource_policy.snapshots.snapshot_schedule_policy[0].retention_policy[0].max_retention_days
    snapshot_place   = google_compute_resource_policy.snapshots.snapshot_schedule_policy[0].snapshot_properties[0].storage_locations
    snapshot_disk    = google_compute_disk_resource_policy_attachment.snapshots.disk
    guest_metrics    = google_compute_instance.this.metadata["google-monitoring-enabled"]
    operators        = { for rule in google_compute_firewall.operators : "from" => { ranges = rule.source_ranges, ports = flatten([for allowed in rule.allow : allowed.ports]) } }
    tunnels          = [for member in google_iap_tunnel_instance_iam_member.operator : member.member]
    start            = google_compute_instance.this.metadata["user-data"]
    boot_image       = google_compute_instance.this.boot_disk[0].initialize_params[0].image
    supported_until  = local.boot_image.supported_until
    secure_boot      = google_compute_instance.this.shielded_instance_config[0].enable_secure_boot
    to               = google_compute_firewall.functions.target_service_accounts
    account          = google_service_account.vm.email
    runs_as          = google_compute_instance.this.service_account[0].email
    key_reader       = google_secret_manager_secret_iam_member.vm.member
    key              = google_secret_manager_secret_iam_member.vm.secret_id
    roles            = values(google_project_iam_member.vm)[*].role
    mode             = google_artifact_registry_repository.hub.mode
  }
}
