# The VM holds nothing: all data is on the disk, so that it can be made anew at any time.

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

  allow_stopping_for_update = true # a larger machine_type stops and starts it

  boot_disk {
    kms_key_self_link = var.kms_key
    initialize_params {
      image = "projects/cos-cloud/global/images/family/cos-121-lts"
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
    scopes = ["cloud-platform"] # what the account may do is decided by its roles
  }

  shielded_instance_config {
    enable_secure_boot          = true
    enable_vtpm                 = true
    enable_integrity_monitoring = true
  }

  metadata = {
    user-data              = local.user_data
    google-logging-enabled = "true"
    block-project-ssh-keys = "true"
    enable-oslogin         = "true"
  }

  lifecycle {
    # What cloud-init is told holds from the next start on, so another version of Weaviate is another VM.
    replace_triggered_by = [terraform_data.start]
  }

  depends_on = [google_secret_manager_secret_iam_member.vm, google_project_iam_member.vm]
}
