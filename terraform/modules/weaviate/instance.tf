# The VM itself has no data. All data is on the disk, so the VM can be rebuilt at any time.

locals {
  user_data = templatefile("${path.module}/cloud-config.yaml.tftpl", {
    image    = local.image
    project  = var.project
    registry = local.registry
    secret   = var.secret
  })
}

resource "terraform_data" "start" {
  input = local.user_data
}

resource "google_compute_instance" "this" {
  project      = var.project
  zone         = var.zone
  name         = var.name
  machine_type = var.machine_type
  labels       = var.labels

  allow_stopping_for_update = true # another machine_type stops and starts the VM

  boot_disk {
    kms_key_self_link = var.kms_key
    initialize_params {
      image = "projects/cos-cloud/global/images/family/${local.boot_image.family}"
      size  = 20
    }
  }

  attached_disk {
    source            = google_compute_disk.data.id
    device_name       = "weaviate"
    kms_key_self_link = var.kms_key
  }

  # No access_config: no public address.
  network_interface {
    subnetwork = google_compute_subnetwork.vm.id
    network_ip = google_compute_address.vm.address
  }

  service_account {
    email  = google_service_account.vm.email
    scopes = ["cloud-platform"] # the roles of the account decide what it may do
  }

  shielded_instance_config {
    enable_secure_boot          = true
    enable_vtpm                 = true
    enable_integrity_monitoring = true
  }

  metadata = {
    user-data              = local.user_data
    google-logging-enabled = "true"
    # Container-Optimized OS then sends how full disk and memory are (alerts_weaviate.tf).
    google-monitoring-enabled = "true"
    block-project-ssh-keys    = "true"
    enable-oslogin            = "true"
  }

  lifecycle {
    # cloud-init reads its configuration only at a start. So another version of Weaviate needs another VM.
    replace_triggered_by = [terraform_data.start, terraform_data.month]
  }

  depends_on = [google_secret_manager_secret_iam_member.vm, google_project_iam_member.vm]
}
